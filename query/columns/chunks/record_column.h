#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "index/columns/column.h"

namespace ofindex {

/// One column of `records`: of the records themselves, or of one of their features.
struct Column {
  enum class Origin : uint8_t { kId, kShard, kOffset, kLength, kFeature, kHash };

  std::string name;  ///< in SQL
  Origin origin = Origin::kFeature;
  uint32_t feature = 0;
  ColumnRole role = ColumnRole::kValue;

  /// Returns true if the column is read only where it is named, and not with all columns.
  [[nodiscard]] bool is_hidden() const { return origin == Origin::kHash; }

  [[nodiscard]] bool is_list() const { return origin == Origin::kFeature && role == ColumnRole::kList; }

  /// Origin, role and feature as one number, which identifies the column.
  [[nodiscard]] uint64_t number() const {
    return uint64_t{static_cast<uint8_t>(origin)} << 40 | uint64_t{static_cast<uint8_t>(role)} << 32 | feature;
  }
};

/// Returns the columns of `records` in order: _id, _shard, _offset, _length, then those of the features by number, and
/// _hash. A feature that no record has, because it was found only in shards that are missing, has no columns. An index
/// that was written before there was _hash may have a feature's column with this name: then that is the only one.
[[nodiscard]] std::vector<Column> ColumnsOf(const std::vector<FeatureRow>& features);

}  // namespace ofindex
