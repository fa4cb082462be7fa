#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace ofindex {

/// Returns the folder for the benchmarks' data: OFINDEX_BENCH_DATA, or else bench-data/ next to the program.
[[nodiscard]] std::string DataFolder();

/// Returns a folder for files that should be written to and read from memory, and removes it at the end.
[[nodiscard]] std::string MemoryFolder();
void RemoveMemoryFolder();

/// A folder of TFRecord shards. Payloads are random bytes of random lengths, the same on every machine.
struct DataSet {
  std::string folder;
  std::vector<std::string> shards;  ///< paths, in order
  uint64_t records = 0;
};

/// Returns 4,000,000 records of 250 to 450 bytes in 8 shards, 1.5 GB. They are written on first use and kept: an
/// existing shard is complete. Errors: kIo.
[[nodiscard]] Result<DataSet> SmallRecords();

/// Pseudorandom numbers (SplitMix64, Steele, Lea and Flood 2014): value `i` of one sequence.
[[nodiscard]] constexpr uint64_t Noise(uint64_t i) {
  uint64_t z = (i + 1) * 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

/// Uniformly distributed lengths of records, in [min, max].
struct LengthRange {
  uint64_t min;
  uint64_t max;

  [[nodiscard]] constexpr uint64_t Of(uint64_t record) const { return min + Noise(record) % (max - min + 1); }
};

/// Returns all ordinals of a dataset of `records` in random order.
[[nodiscard]] std::vector<uint64_t> ShuffledOrdinals(uint64_t records);

}  // namespace ofindex
