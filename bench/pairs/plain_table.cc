#include "bench/pairs/plain_table.h"

#include "base/output_file.h"
#include "base/text.h"

namespace ofindex {
namespace {

constexpr int kPageBytes = 4096;  // SQLite's default, which suits small rows

uint64_t Whole(const ColumnValue& number) {
  const bool real = number.type == ColumnValue::Type::kReal;
  return static_cast<uint64_t>(real ? static_cast<int64_t>(number.real) : number.integer);
}

ColumnValue NumberAt(const SqlRows& rows, int column) {
  const SqlValue value = rows.At(static_cast<size_t>(column));
  return {.type = value.type, .integer = value.integer, .real = value.real};
}

Result<void> CopyRows(SqlSession& from, sqlite::Database& to) {
  OFINDEX_ASSIGN(SqlRows rows, from.Query("SELECT _id, label, height, width, score FROM records"));
  OFINDEX_ASSIGN(sqlite::Statement insert, to.Prepare("INSERT INTO records VALUES (?, ?, ?, ?, ?)"));
  for (;;) {
    OFINDEX_ASSIGN(const bool more, rows.Next());
    if (!more) return {};
    OFINDEX_TRY(
        insert.Run(NumberAt(rows, 0), NumberAt(rows, 1), NumberAt(rows, 2), NumberAt(rows, 3), NumberAt(rows, 4)));
  }
}

}  // namespace

Result<PlainTable> PlainTable::Copy(SqlSession& session, const std::string& path) {
  OFINDEX_TRY(OutputFile::Create(path));
  OFINDEX_ASSIGN(sqlite::Database database, sqlite::Database::OpenForWriting(path, kPageBytes));
  OFINDEX_TRY(
      database.Execute("PRAGMA cache_size = -1000000;"
                       "CREATE TABLE records(_id INTEGER PRIMARY KEY, label, height, width, score); BEGIN"));
  OFINDEX_TRY(CopyRows(session, database));
  OFINDEX_TRY(database.Execute("COMMIT"));
  return PlainTable(std::move(database));
}

Result<uint64_t> PlainTable::SumOver(const Question& question) {
  OFINDEX_ASSIGN(sqlite::Statement rows, database_.Prepare(question.sql));
  uint64_t sum = 0;
  for (;;) {
    OFINDEX_ASSIGN(const bool more, rows.Next());
    if (!more) return sum;
    for (int i = 0; i < question.columns; ++i) sum += Whole(rows.Value(i));
  }
}

Result<uint64_t> SumOver(SqlSession& session, const Question& question) {
  OFINDEX_ASSIGN(SqlRows rows, session.Query(question.sql));
  uint64_t sum = 0;
  for (;;) {
    OFINDEX_ASSIGN(const bool more, rows.Next());
    if (!more) return sum;
    for (int i = 0; i < question.columns; ++i) sum += Whole(NumberAt(rows, i));
  }
}

}  // namespace ofindex
