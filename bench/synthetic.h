#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace ofindex {

/// An index of far more records than anybody would write for a benchmark. Its one shard is a sparse file, in which a
/// few records are really there.
struct SyntheticIndex {
  std::string index;  ///< path
  std::string shard;  ///< path
  uint64_t records = 0;
  std::vector<uint64_t> real;  ///< ordinals of the records that can be read
};

/// 100,000,000 TFRecords of 200 to 300 bytes; written anew by every call, by the code that writes any index. Errors:
/// kIo.
[[nodiscard]] Result<SyntheticIndex> HundredMillionRecords();

}  // namespace ofindex
