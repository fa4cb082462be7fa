#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "index/columns/column.h"

namespace ofindex {

/// One column of `records`: of the records themselves, or of one of their features.
struct Column {
  enum class Origin : uint8_t { kId, kShard, kOffset, kLength, kFeature };

  std::string name;  ///< in SQL
  Origin origin = Origin::kFeature;
  uint32_t feature = 0;
  ColumnRole role = ColumnRole::kValue;

  [[nodiscard]] bool is_list() const { return origin == Origin::kFeature && role == ColumnRole::kList; }

  /// Origin, role and feature as one number, which identifies the column.
  [[nodiscard]] uint64_t number() const {
    return uint64_t{static_cast<uint8_t>(origin)} << 40 | uint64_t{static_cast<uint8_t>(role)} << 32 | feature;
  }
};

/// Returns the columns of `records` in order: _id, _shard, _offset, _length, then those of the features by number. A
/// feature that no record has, because it was found only in shards that are missing, has no columns.
[[nodiscard]] std::vector<Column> ColumnsOf(const std::vector<FeatureRow>& features);

}  // namespace ofindex
