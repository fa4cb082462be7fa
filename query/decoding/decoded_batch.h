#pragma once

#include <cstdint>
#include <vector>

#include "query/decoding/buffer.h"
#include "query/decoding/feature_spec.h"

namespace ofindex {

/// One feature of the records of a batch, laid out as a numpy array. Owns its memory; a plain value that moves.
struct FeatureArray {
  DataType type = DataType::kInt64;
  FeatureSpec::Form form = FeatureSpec::Form::kFixed;
  uint64_t count = 0;  ///< values in all

  /// For numbers, `count` items. For bytes, all strings concatenated.
  Buffer values = {};
  /// For bytes, `count` + 1: string i is [offsets[i], offsets[i + 1]) of `values`. Otherwise empty.
  std::vector<int64_t> offsets = {};
  /// For kRagged, one more than records: the values of record i are [rows[i], rows[i + 1]). Otherwise empty.
  std::vector<int64_t> rows = {};
};

/// The name of a batch's memory in messages.
inline constexpr char kBatchMemory[] = "a batch of features";

/// The features of records that were requested together.
struct DecodedBatch {
  uint64_t records = 0;
  std::vector<FeatureArray> arrays = {};  ///< in the order of the specs
};

}  // namespace ofindex
