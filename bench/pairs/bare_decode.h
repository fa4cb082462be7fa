#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace ofindex {

/// The columns that BareDecode extracts from ImageRecords (bench/example_data.h), an entry per record.
struct FourColumns {
  std::vector<int64_t> label;
  std::vector<int64_t> height;
  std::vector<int64_t> width;
  std::vector<float> score;
};

/// The simplest fast loop that extracts four columns of TFRecord Examples: reads through a buffer of 256 KiB that stays
/// in cache, follows the lengths, finds the features by name in any order, and takes the single value of each. Relies
/// on the layout of the records; checks and encodes nothing. Threads take whole shards; entry i of the result has the
/// columns of shard i. Errors: kIo.
[[nodiscard]] Result<std::vector<FourColumns>> BareDecode(const std::vector<std::string>& shards, unsigned threads);

}  // namespace ofindex
