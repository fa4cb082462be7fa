#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/checksum.h"
#include "base/result.h"
#include "index/database/sqlite.h"

namespace ofindex {

// Every row of an index is covered by a checksum (docs/index_format.md, "Checksums"), in every table:
//
//   sum of a row     XXH3 of its BLOBs, in the column `sum` of a table that has one: checked when the BLOBs are read
//   sum of a part    sum of the XXH3 of all its rows without those BLOBs: checked when the part is read. A part is a
//                    table, or one column's rows of `chunk`. The table `checksum` has a row for each part
//   top              XXH3 of versions, schema and the rows of `checksum`, stored in the facts of the dataset: checked
//                    when the index is opened
//
// Row hashes are summed, so that the rows of a part can be read in any order; the hash of a row includes its key.

/// XXH3 of SQLite values: the type of each, then its bytes. The types are stored in index files: DO NOT CHANGE THEM.
class RowHash {
 public:
  void AddNull() { AddType(ColumnValue::Type::kNull); }
  void AddInteger(int64_t value);
  void AddReal(double value);
  void AddText(std::string_view text) { AddBytes(ColumnValue::Type::kText, AsBytes(text)); }
  void AddBlob(ByteView blob) { AddBytes(ColumnValue::Type::kBlob, blob); }

  /// Adds the columns [begin, end) of a row.
  void AddColumns(const sqlite::Statement& row, int begin, int end);

  /// Returns the hash of all columns added, and starts the next hash.
  [[nodiscard]] uint64_t Take();

 private:
  void AddType(ColumnValue::Type type) { hash_.Add(static_cast<uint64_t>(type)); }
  void AddBytes(ColumnValue::Type type, ByteView bytes);

  Xxh3Stream hash_;
};

/// The number of rows of a part, and the sum of their hashes, modulo 2^64.
struct PartSum {
  uint64_t rows = 0;
  uint64_t sum = 0;

  friend bool operator==(const PartSum&, const PartSum&) = default;
};
using PartSums = std::map<std::string, PartSum, std::less<>>;

/// A table of the schema, as needed for its checksums.
struct TableShape {
  std::string name;
  std::vector<std::string> columns;  ///< quoted
  std::string key;                   ///< columns of the primary key, quoted, between commas
  int covered = 0;                   ///< leading columns covered by the sum of the part; BLOBs with a sum follow
  int sum = -1;                      ///< the column with the checksum of those BLOBs, or -1

  /// Returns the part that a row belongs to.
  [[nodiscard]] std::string PartOf(const sqlite::Statement& row) const;
  /// Returns "SELECT ... FROM name", with the columns that the part's sum covers, or with all.
  [[nodiscard]] std::string Select(bool all) const;
  /// Returns false if the row has a sum, was read with all its columns, and its columns do not match the sum.
  [[nodiscard]] bool RowHolds(const sqlite::Statement& row, RowHash& hash) const;
};

/// Returns the name of the part of `chunk` with the chunks of one column.
[[nodiscard]] std::string ChunkPart(uint32_t feature, std::string_view role);

/// Returns all tables of the schema except `checksum`, in schema order. Errors: kIndex.
[[nodiscard]] Result<std::vector<TableShape>> TableShapes(sqlite::Database& database);

/// The sums of all rows in a database, and the first row whose BLOBs do not match its `sum`; empty if none.
struct FoundSums {
  PartSums parts;
  std::string wrong_row = {};
};

/// Reads every row; BLOBs that have a `sum` only if `all`. Errors: kIndex, kIo.
[[nodiscard]] Result<FoundSums> SumRows(sqlite::Database& database, bool all);

/// The contents of the table `checksum`, and the matching top.
struct StoredSums {
  PartSums parts;
  std::string top;  ///< the required value of the fact `checksum` of the dataset
};
[[nodiscard]] Result<StoredSums> ReadSums(sqlite::Database& database);

/// Fills the table `checksum` and the fact `checksum`, after everything else is written. Errors: kIo.
[[nodiscard]] Result<void> SealRows(sqlite::Database& database);

/// Reads rows of one part and, after the last one, compares them with the part's sum. Not thread-safe; the database and
/// the shape must outlive it.
class CheckedRows {
 public:
  CheckedRows(sqlite::Statement rows, const TableShape& shape, std::string path, std::string part, PartSum expected)
      : rows_(std::move(rows)), shape_(shape), path_(std::move(path)), part_(std::move(part)), expected_(expected) {}

  /// Steps to the next row. Returns false after the last. Errors: kIndex if a checksum is wrong; those of SQLite.
  [[nodiscard]] Result<bool> Next();

  [[nodiscard]] const sqlite::Statement* operator->() const { return &rows_; }

  /// Returns false if any of these columns of the row is a negative number.
  [[nodiscard]] bool AreNonNegative(std::initializer_list<int> columns) const {
    return std::none_of(columns.begin(), columns.end(), [this](int column) { return rows_.Int(column) < 0; });
  }

  template <typename... Args>
  [[nodiscard]] Result<void> Bind(const Args&... args) {
    return rows_.Bind(args...);
  }

 private:
  sqlite::Statement rows_;
  const TableShape& shape_;
  std::string path_;
  std::string part_;
  PartSum expected_;
  PartSum found_;
  RowHash hash_;
};

/// Returns the error for an index with a wrong checksum: "<path>: the index is damaged: <what>".
[[nodiscard]] tl::unexpected<Error> DamagedIndex(const std::string& path, const std::string& what);

/// Returns the same error for a part. Empty sums mean that the part is absent.
[[nodiscard]] tl::unexpected<Error> DamagedPart(const std::string& path, std::string_view part, const PartSum& expected,
                                                const PartSum& found);

}  // namespace ofindex
