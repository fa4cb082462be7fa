#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "base/file.h"
#include "base/result.h"
#include "bench/data.h"
#include "mmap/record_reader.h"

namespace ofindex {

/// What a program would write that knows its data, never checks anything, and has memory to spare: all shards mapped one
/// behind the other, and 16 bytes a record in two arrays. Moves, does not copy.
class BareReader {
 public:
  /// Maps the shards of `data`; `reader` tells where the records lie. Errors: kIo, and those of Locate.
  [[nodiscard]] static Result<BareReader> Open(const DataSet& data, const RecordReader& reader);

  [[nodiscard]] ByteView View(uint64_t ordinal) const { return {map_.get() + offsets_[ordinal], lengths_[ordinal]}; }

  /// Copies the payloads of `ordinals` to `out`, one after the other, the cache lines asked for some records ahead.
  void Copy(std::span<const uint64_t> ordinals, uint8_t* out) const;

  /// The same with one pread a record, which is all that a program without a map can do. Errors: kIo.
  [[nodiscard]] Result<void> Pread(std::span<const uint64_t> ordinals, uint8_t* out) const;

 private:
  struct Unmap {
    uint64_t bytes;
    void operator()(uint8_t* map) const;
  };
  struct Shard {
    uint64_t begin;  // in the map
    File file;
  };

  BareReader() = default;

  [[nodiscard]] Result<void> MapShards(const DataSet& data);

  std::unique_ptr<uint8_t, Unmap> map_{nullptr, Unmap{0}};
  std::vector<Shard> shards_;
  std::vector<uint64_t> offsets_;  // in the map
  std::vector<uint64_t> lengths_;
  std::vector<uint32_t> shard_of_;
};

}  // namespace ofindex
