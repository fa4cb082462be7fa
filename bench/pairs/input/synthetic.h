#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace ofindex {

/// An index of far more records than a benchmark could write. Its one shard is a sparse file with only a
/// few real records.
struct SyntheticIndex {
  std::string index;  ///< path
  std::string shard;  ///< path
  uint64_t records = 0;
  std::vector<uint64_t> real;  ///< ordinals of the readable records
};

/// Writes the index of 100,000,000 TFRecords of 200 to 300 bytes with the regular index writer, again on every call.
/// Errors: kIo.
[[nodiscard]] Result<SyntheticIndex> HundredMillionRecords();

/// Writes `count` indexes of one shard each, which does not exist, with 100,000,000 TFRecords in all; returns their
/// paths. Errors: kIo.
[[nodiscard]] Result<std::vector<std::string>> HundredMillionInIndexes(uint64_t count);

}  // namespace ofindex
