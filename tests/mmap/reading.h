#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "mmap/record_reader.h"

namespace ofindex {

inline std::string Text(ByteView bytes) { return std::string(AsText(bytes)); }

inline std::vector<std::string> PayloadsOf(const RecordBatch& batch) {
  std::vector<std::string> payloads;
  for (size_t i = 0; i < batch.size(); ++i) payloads.push_back(Text(batch[i]));
  return payloads;
}

/// Returns the payloads of `ordinals`, in that order.
inline std::vector<std::string> Chosen(const std::vector<std::string>& payloads,
                                       const std::vector<uint64_t>& ordinals) {
  std::vector<std::string> chosen;
  for (uint64_t ordinal : ordinals) chosen.push_back(payloads[ordinal]);
  return chosen;
}

/// Returns every combination of reader options; a limit of 0 stands for the default.
inline std::vector<ReaderOptions> AllWays() {
  std::vector<ReaderOptions> ways;
  for (IoMode io : {IoMode::kAuto, IoMode::kMmap, IoMode::kPread}) {
    for (uint64_t maps : {uint64_t{0}, uint64_t{1}}) {
      for (uint64_t descriptors : {uint64_t{0}, uint64_t{1}}) {
        ways.push_back({.io = io, .max_maps = maps, .max_descriptors = descriptors});
      }
    }
  }
  return ways;
}

/// Returns `count` ordinals less than `records`, including repeats.
inline std::vector<uint64_t> RandomOrdinals(std::mt19937_64& random, uint64_t records, size_t count) {
  std::vector<uint64_t> ordinals;
  for (size_t i = 0; i < count; ++i) ordinals.push_back(random() % records);
  return ordinals;
}

/// Batch sizes around the prefetch distances (14 and 18), the ring of records in flight (32), and the number
/// of views located at once (32).
inline constexpr size_t kBatchSizes[] = {0, 1, 2, 13, 14, 15, 16, 17, 18, 19, 20, 31, 32, 33, 63, 64, 65, 100};

}  // namespace ofindex
