#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "proto/features.h"

namespace ofindex {

/// The data of a feature's column. The values are stored in index files: DO NOT CHANGE THEM.
enum class ColumnRole : uint8_t {
  kValue = 0,  ///< `NAME`: the value if there is exactly one, else NULL
  kCount = 1,  ///< `NAME#count`: number of values; NULL if the feature is absent
  kSize = 2,   ///< `NAME#bytes`: size of the value in bytes, if there is exactly one
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

/// Returns the role with this name; nullopt if there is none.
[[nodiscard]] std::optional<ColumnRole> ParseColumnRole(std::string_view name);

/// One SQL value of a column: NULL, INTEGER, REAL, TEXT or BLOB. Bytes own their memory.
struct ColumnValue {
  enum class Type : uint8_t { kNull, kInteger, kReal, kText, kBlob };

  Type type = Type::kNull;
  int64_t integer = 0;
  double real = 0;
  std::string bytes = {};  ///< for TEXT and BLOB

  friend bool operator==(const ColumnValue&, const ColumnValue&) = default;
};

/// Convert a set of kinds, with one bit per kind, to the comma-separated names of the kinds ("bytes,int64") and back.
/// ParseKinds returns nullopt if a word is not the name of a kind.
[[nodiscard]] std::string KindNames(uint8_t kinds);
[[nodiscard]] std::optional<uint8_t> ParseKinds(std::string_view names);

/// Returns true if `bytes` are TEXT in SQL: valid UTF-8 without NUL. All other bytes are a BLOB.
[[nodiscard]] bool IsText(ByteView bytes);

/// Returns true if all bytes are ASCII, without NUL: each part of them is TEXT.
[[nodiscard]] bool IsPlainText(ByteView bytes);

// The chunks of a feature in a block depend on that block alone, so that a merge rewrites none. A block has:
//
//   kValue  if some record has exactly one value, and no such value in the block is a byte string of over 64 bytes
//           (64 KiB for a named feature)
//   kSize   if some record has exactly one value, a byte string, and one such value is too long for kValue
//   kCount  if some record has the feature but not exactly one value, or has one value that is in neither kValue nor
//           kSize
//   kList   instead of kValue, for a named feature: if some record has more than one value
//
// Readers derive the other data from these: without kCount, a record has as many values as kValue or kSize has for it,
// 1 or 0; without kSize, sizes are those of the bytes in kValue; without kList, a list is the single value in kValue.

/// Returns SQL's typeof() of values of these kinds, for display: "INTEGER", "REAL|TEXT".
[[nodiscard]] std::string SqlTypeNames(uint8_t kinds, bool has_text, bool has_blob);

/// One feature, over all records.
struct FeatureRow {
  uint32_t feature = 0;     ///< number, from 0
  std::string name = {};    ///< its exact bytes
  uint8_t kinds = 0;        ///< bit 1 << FeatureKind for each kind seen
  uint64_t present = 0;     ///< records that have it, with or without a kind
  uint64_t values = 0;      ///< total of all records
  uint32_t values_min = 0;  ///< fewest values of a record that has the feature
  uint32_t values_max = 0;
  uint64_t largest_bytes = 0;  ///< size of the largest bytes value
  uint64_t single = 0;         ///< records with exactly one value
  std::string type = {};  ///< of the value column, for display: "INTEGER", "TEXT|BLOB", "JSON" for lists; may be empty
  std::string sql_value = {};        ///< SQL name of the column of values or lists; empty if there is none
  std::string sql_count = {};        ///< SQL name of `NAME#count`; empty if there is none
  std::string sql_size = {};         ///< SQL name of `NAME#bytes`; empty if there is none
  bool whole = false;                ///< its lists are stored: the value column has role kList
  std::vector<uint8_t> sketch = {};  ///< distinct values; see index/columns/distinct_sketch.h
  std::string origin = {};  ///< of values that are not the records' own: "attached TIME from TABLE by KEY"; not stored
};

/// Returns the features that some record has, in byte order of their names: those found only in shards that are missing
/// are left out.
[[nodiscard]] std::vector<FeatureRow> FeaturesByName(std::vector<FeatureRow> features);

/// Returns true if some records have exactly one value, which their column holds, and others several: these read as
/// NULL there, as if they did not have the feature.
[[nodiscard]] inline bool ReadsListsAsNull(const FeatureRow& row) {
  return !row.whole && row.single > 0 && row.values_max > 1 && (!row.sql_value.empty() || !row.sql_size.empty());
}

/// Return the most informative SQL column of a feature, and the SQL typeof() of its values; both empty if it has none.
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
  ColumnValue min = {};       ///< least value in SQLite's order; a lower bound if a long value was cut
  ColumnValue max = {};       ///< greatest value in SQLite's order; NULL if not known
  std::vector<uint8_t> data;  ///< see index/chunks/chunk.h
};

}  // namespace ofindex
