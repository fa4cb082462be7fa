#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "base/file.h"
#include "base/result.h"
#include "bench/pairs/input/data.h"
#include "mmap/record_reader.h"

namespace ofindex {

/// The fastest reader that a program could have if it knows its data, checks nothing, and has enough memory: all shards
/// are mapped, and two arrays of u64 hold the location of each record. Movable, not copyable.
class BareReader {
 public:
  /// Maps the shards of `data`; `reader` locates the records. Errors: kIo, and those of Locate.
  [[nodiscard]] static Result<BareReader> Open(const DataSet& data, const RecordReader& reader);

  [[nodiscard]] ByteView View(uint64_t ordinal) const {
    return {reinterpret_cast<const uint8_t*>(addresses_[ordinal]), lengths_[ordinal]};
  }

  /// Copies the payloads of `ordinals` to `out`, concatenated. Cache lines are prefetched some records ahead.
  void Copy(std::span<const uint64_t> ordinals, uint8_t* out) const;

  /// Does the same with one pread per record, as a reader without a map must. Errors: kIo.
  [[nodiscard]] Result<void> Pread(std::span<const uint64_t> ordinals, uint8_t* out) const;

 private:
  struct Unmap {
    uint64_t bytes;
    void operator()(uint8_t* map) const;
  };
  struct Shard {
    File file;
    std::unique_ptr<uint8_t, Unmap> map;
  };

  BareReader() = default;

  [[nodiscard]] static Result<Shard> Map(const std::string& path);

  std::vector<Shard> shards_;
  std::vector<uint64_t> addresses_;
  std::vector<uint64_t> lengths_;
  std::vector<uint32_t> shard_of_;
};

}  // namespace ofindex
