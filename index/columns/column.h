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

  // Derived from the bytes of the values, if the build was asked to (index/columns/derivations.h).
  kWidth = 4,     ///< `NAME#width` of the image that is the first value
  kHeight = 5,    ///< `NAME#height` of it
  kChannels = 6,  ///< `NAME#channels` of it
  kFormat = 7,    ///< `NAME#format` of it: "jpeg", for example
  kHash = 8,      ///< `NAME#hash` of all values
  kLength = 9,    ///< `NAME#length`: the bytes of all values together
};

inline constexpr ColumnRole kLastRole = ColumnRole::kLength;

[[nodiscard]] constexpr bool IsDerived(ColumnRole role) { return role >= ColumnRole::kWidth; }

/// Returns true if the values of the column are those of its feature; those of other columns describe them.
[[nodiscard]] constexpr bool HoldsValues(ColumnRole role) {
  return role == ColumnRole::kValue || role == ColumnRole::kList;
}

[[nodiscard]] constexpr std::string_view Name(ColumnRole role) {
  switch (role) {
    case ColumnRole::kValue: return "value";
    case ColumnRole::kCount: return "count";
    case ColumnRole::kSize: return "size";
    case ColumnRole::kList: return "list";
    case ColumnRole::kWidth: return "width";
    case ColumnRole::kHeight: return "height";
    case ColumnRole::kChannels: return "channels";
    case ColumnRole::kFormat: return "format";
    case ColumnRole::kHash: return "hash";
    case ColumnRole::kLength: return "length";
  }
  return "unknown";
}

/// Returns the role with this name; nullopt if there is none.
[[nodiscard]] std::optional<ColumnRole> ParseColumnRole(std::string_view name);

/// Returns what a column says about the values of its feature, for people: "number of values", "width of the image".
/// Empty for a column that holds the values.
[[nodiscard]] std::string_view Describe(ColumnRole role);

/// Returns SQL's typeof() of the values of a column that does not hold those of its feature.
[[nodiscard]] constexpr std::string_view TypeOfFacts(ColumnRole role) {
  return role == ColumnRole::kFormat ? "TEXT" : "INTEGER";
}

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
// and, for a feature of --derive, each derived role of which some record has a value.
//
// Readers derive the other data from these: without kCount, a record has as many values as kValue or kSize has for it,
// 1 or 0; without kSize, sizes are those of the bytes in kValue; without kList, a list is the single value in kValue.
// Without a derived role, all records of the block are NULL.

/// A column that is derived from the values of a feature.
struct DerivedColumn {
  ColumnRole role = ColumnRole::kWidth;
  std::string name = {};  ///< in SQL
};

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
  std::string sql_value = {};               ///< SQL name of the column of values or lists; empty if there is none
  std::string sql_count = {};               ///< SQL name of `NAME#count`; empty if there is none
  std::string sql_size = {};                ///< SQL name of `NAME#bytes`; empty if there is none
  std::vector<DerivedColumn> derived = {};  ///< by role; set from the choice of the index, with which they are stored
  bool whole = false;                       ///< its lists are stored: the value column has role kList
  std::vector<uint8_t> sketch = {};         ///< distinct values; see index/columns/distinct_sketch.h
  std::string origin = {};  ///< of values that are not the records' own: "attached TIME from TABLE by KEY"; not stored
};

/// Returns true if queries know the feature: some record has it, or its values are attached, even if all are NULL.
[[nodiscard]] inline bool IsKnown(const FeatureRow& row) { return row.present != 0 || !row.origin.empty(); }

/// Returns the known features, in byte order of their names: those found only in shards that are missing
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

/// Returns the SQL names of the columns of a feature, the main one first, then derived ones.
[[nodiscard]] std::vector<std::string> ColumnNamesOf(const FeatureRow& row);

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
