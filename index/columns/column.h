#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "proto/features.h"

namespace ofindex {

/// What a column of a feature says of each record. The values stand in index files: DO NOT CHANGE THEM.
enum class ColumnRole : uint8_t {
  kValue = 0,  ///< `NAME`: the value where there is exactly one, else NULL
  kCount = 1,  ///< `NAME#count`: how many values; NULL where the feature is absent
  kSize = 2,   ///< `NAME#bytes`: size of the value where there is exactly one, in bytes
  kList = 3,   ///< `NAME`: all values
};

[[nodiscard]] constexpr std::string_view Name(ColumnRole role) {
  switch (role) {
    case ColumnRole::kValue: return "value";
    case ColumnRole::kCount: return "count";
    case ColumnRole::kSize: return "size";
    case ColumnRole::kList: return "list";
  }
  return "unknown";
}

/// One SQL value out of a column: NULL, INTEGER, REAL, TEXT or BLOB. Bytes own their memory.
struct ColumnValue {
  enum class Type : uint8_t { kNull, kInteger, kReal, kText, kBlob };

  Type type = Type::kNull;
  int64_t integer = 0;
  double real = 0;
  std::string bytes = {};  ///< of TEXT and BLOB

  friend bool operator==(const ColumnValue&, const ColumnValue&) = default;
};

/// The names of kinds, of which `kinds` has a bit each, between commas: "bytes,int64"; and back. ParseKinds is nullopt
/// for a word that is no kind.
[[nodiscard]] std::string KindNames(uint8_t kinds);
[[nodiscard]] std::optional<uint8_t> ParseKinds(std::string_view names);

/// True if `bytes` are TEXT in SQL: valid UTF-8 without NUL. All other bytes are a BLOB.
[[nodiscard]] bool IsText(ByteView bytes);

// Which chunks a block has follows from that block alone, so that a merge rewrites none:
//
//   kValue  if a record has exactly one value and no single bytes value of the block is over 64 bytes (64 KiB for a
//           feature that was named)
//   kSize   if a record has exactly one bytes value, and one of those is too long for kValue
//   kCount  if a record has the feature and not exactly one value, or one that is in neither kValue nor kSize
//   kList   instead of kValue, for a feature that was named: if a record has more than one value
//
// What a reader asks for beyond that follows from what is there: without kCount a record has as many values as kValue
// or kSize has for it, 1 or none at all; without kSize the sizes are those of the bytes in kValue; without kList the
// list is the value.

/// One feature, over all records.
struct FeatureRow {
  uint32_t feature = 0;     ///< number, from 0
  std::string name = {};    ///< its exact bytes
  uint8_t kinds = 0;        ///< bit 1 << FeatureKind of each kind seen
  uint64_t present = 0;     ///< records that have it, with or without a kind
  uint64_t values = 0;      ///< of all records together
  uint32_t values_min = 0;  ///< fewest values of a record that has the feature
  uint32_t values_max = 0;
  uint64_t largest_bytes = 0;  ///< size of the largest bytes value
  uint64_t single = 0;         ///< records with exactly one value
  std::string type = {};  ///< of the value column, for people: "INTEGER", "TEXT|BLOB", "JSON" of lists; may be empty
  std::string sql_value = {};        ///< SQL name of the column of values or lists; empty if there is none
  std::string sql_count = {};        ///< SQL name of `NAME#count`; empty if there is none
  std::string sql_size = {};         ///< SQL name of `NAME#bytes`; empty if there is none
  bool whole = false;                ///< its lists are stored: the value column has role kList
  std::vector<uint8_t> sketch = {};  ///< distinct values; see index/columns/distinct_sketch.h
};

/// The features in byte order of their names.
[[nodiscard]] std::vector<FeatureRow> FeaturesByName(std::vector<FeatureRow> features);

/// The SQL column that says most of a feature, and what SQL's typeof() gives of it; both empty where it has none.
[[nodiscard]] inline const std::string& MainColumn(const FeatureRow& row) {
  if (!row.sql_value.empty()) return row.sql_value;
  return row.sql_size.empty() ? row.sql_count : row.sql_size;
}
[[nodiscard]] inline std::string MainType(const FeatureRow& row) {
  if (!row.sql_value.empty()) return row.type;
  return MainColumn(row).empty() ? "" : "INTEGER";
}

/// One column of one block, encoded.
struct ChunkRow {
  uint32_t feature = 0;
  ColumnRole role = ColumnRole::kValue;
  uint64_t block = 0;         ///< `block.block`, from 1
  uint32_t nulls = 0;         ///< records that are NULL in SQL, NaN included
  uint32_t nans = 0;          ///< records whose value is NaN
  ColumnValue min = {};       ///< least value by SQLite's order; no more than the least where a long one was cut short
  ColumnValue max = {};       ///< greatest value by SQLite's order; NULL where it is not known
  std::vector<uint8_t> data;  ///< see index/chunks/chunk.h
};

}  // namespace ofindex
