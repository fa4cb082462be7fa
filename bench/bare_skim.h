#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace ofindex {

/// What BareSkim takes off the wire of ImageRecords (bench/example_data.h), an entry a record.
struct FourColumns {
  std::vector<int64_t> label;
  std::vector<int64_t> height;
  std::vector<int64_t> width;
  std::vector<float> score;
};

/// The simplest fast loop that has four columns of TFRecord Examples at its end: reads through a buffer of 256 KiB that
/// stays in cache, follows the lengths, finds the features by name whatever their order, and takes the one value of
/// each. Knows what the records look like; checks and encodes nothing. Threads take whole shards; entry i of the result
/// is of shard i. Errors: kIo.
[[nodiscard]] Result<std::vector<FourColumns>> BareSkim(const std::vector<std::string>& shards, unsigned threads);

}  // namespace ofindex
