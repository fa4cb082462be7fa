#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/checksum.h"
#include "base/result.h"
#include "index/database/sqlite.h"

namespace ofindex {

// Every row of an index is covered by a checksum (docs/index_format.md, "Checksums"), whatever its table:
//
//   sum of a row     XXH3 of its BLOBs, in the column `sum` of a table that has one: checked when the BLOBs are read
//   sum of a part    the XXH3 of all its rows without those BLOBs, added up: checked when the part is read. A part is
//                    a table, or one column's rows of `chunk`. The table `checksum` has a row for each
//   top              XXH3 of versions, schema and the rows of `checksum`, among the facts of the dataset: checked when
//                    the index is opened
//
// Rows are added up, so that a part can be read in any order: the key of a row is in its hash.

/// XXH3 of SQLite values: of each its type, then its bytes. The types stand in index files: DO NOT CHANGE THEM.
class RowHash {
 public:
  void AddNull() { AddType(ColumnValue::Type::kNull); }
  void AddInteger(int64_t value);
  void AddReal(double value);
  void AddText(std::string_view text) { AddBytes(ColumnValue::Type::kText, AsBytes(text)); }
  void AddBlob(ByteView blob) { AddBytes(ColumnValue::Type::kBlob, blob); }

  /// Adds the columns [begin, end) of a row.
  void AddColumns(const sqlite::Statement& row, int begin, int end);

  /// Returns the hash of all that was added, and begins the next one.
  [[nodiscard]] uint64_t Take();

 private:
  void AddType(ColumnValue::Type type) { hash_.Add(static_cast<uint64_t>(type)); }
  void AddBytes(ColumnValue::Type type, ByteView bytes);

  Xxh3Stream hash_;
};

/// The number that 16 hexadecimal digits are; nullopt for anything else.
[[nodiscard]] std::optional<uint64_t> FromHex(std::string_view digits);

/// How many rows a part has, and the sum of their hashes, modulo 2^64.
struct PartSum {
  uint64_t rows = 0;
  uint64_t sum = 0;

  friend bool operator==(const PartSum&, const PartSum&) = default;
};
using PartSums = std::map<std::string, PartSum, std::less<>>;

/// A table of the schema, as its checksums see it.
struct TableShape {
  std::string name;
  std::vector<std::string> columns;  ///< quoted
  std::string key;                   ///< columns of the primary key, quoted, between commas
  int covered = 0;                   ///< columns in front that the sum of the part covers; BLOBs with a sum follow
  int sum = -1;                      ///< the column that covers those BLOBs, or -1

  /// The part that a row belongs to.
  [[nodiscard]] std::string PartOf(const sqlite::Statement& row) const;
  /// "SELECT ... FROM name", with the columns that the part's sum covers, or with all.
  [[nodiscard]] std::string Select(bool all) const;
  /// True unless the row has a sum and was read with all its columns, and they do not agree.
  [[nodiscard]] bool RowHolds(const sqlite::Statement& row, RowHash& hash) const;
};

/// The part of `chunk` that the chunks of one column are.
[[nodiscard]] std::string ChunkPart(uint32_t feature, std::string_view role);

/// All tables of the schema but `checksum`, in its order. Errors: kIndex.
[[nodiscard]] Result<std::vector<TableShape>> TableShapes(sqlite::Database& database);

/// The sums of all rows that a database has, and the first row whose BLOBs are not those of its `sum`; empty: none.
struct FoundSums {
  PartSums parts;
  std::string wrong_row = {};
};

/// Reads every row; BLOBs that have a `sum` only if `all`. Errors: kIndex, kIo.
[[nodiscard]] Result<FoundSums> SumRows(sqlite::Database& database, bool all);

/// What the table `checksum` says, and the top that belongs to it.
struct StoredSums {
  PartSums parts;
  std::string top;  ///< as the fact `checksum` of the dataset has to be
};
[[nodiscard]] Result<StoredSums> ReadSums(sqlite::Database& database);

/// Fills the table `checksum` and the fact `checksum`, once everything else is written. Errors: kIo.
[[nodiscard]] Result<void> SealRows(sqlite::Database& database);

/// Reads rows of one part and, after the last one, compares them with the part's sum. Not thread-safe; the database and
/// the shape must outlive it.
class CheckedRows {
 public:
  CheckedRows(sqlite::Statement rows, const TableShape& shape, std::string path, std::string part, PartSum expected)
      : rows_(std::move(rows)), shape_(shape), path_(std::move(path)), part_(std::move(part)), expected_(expected) {}

  /// Steps to the next row. Returns false after the last. Errors: kIndex  a checksum does not hold; SQLite's.
  [[nodiscard]] Result<bool> Next();

  [[nodiscard]] const sqlite::Statement* operator->() const { return &rows_; }

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

/// The error for an index whose checksums do not hold: "<path>: the index is damaged: <what>".
[[nodiscard]] tl::unexpected<Error> DamagedIndex(const std::string& path, const std::string& what);

/// The same for a part. Empty sums are those of a part that is not there.
[[nodiscard]] tl::unexpected<Error> DamagedPart(const std::string& path, std::string_view part, const PartSum& expected,
                                                const PartSum& found);

}  // namespace ofindex
