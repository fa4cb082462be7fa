#pragma once

#include <cstdint>
#include <vector>

#include "query/decoding/buffer.h"
#include "query/decoding/feature_spec.h"

namespace ofindex {

/// One feature of the records of a batch, as a numpy array has it. Owns its memory; a plain value that moves.
struct FeatureArray {
  DataType type = DataType::kInt64;
  FeatureSpec::Form form = FeatureSpec::Form::kFixed;
  uint64_t count = 0;  ///< values in all

  /// Of numbers: `count` items. Of bytes: all strings, one after the other.
  Buffer values = {};
  /// Of bytes, `count` + 1: string i is [offsets[i], offsets[i + 1]) of `values`. Else empty.
  std::vector<int64_t> offsets = {};
  /// Of kRagged, one more than there are records: those of record i are values [rows[i], rows[i + 1]). Else empty.
  std::vector<int64_t> rows = {};
};

/// What messages call the memory of a batch.
inline constexpr char kBatchMemory[] = "a batch of features";

/// The features of some records that were asked for together.
struct DecodedBatch {
  uint64_t records = 0;
  std::vector<FeatureArray> arrays = {};  ///< in the order of the specs
};

}  // namespace ofindex
