#include "fuzz/index/forged_index.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "fuzz/expect.h"
#include "fuzz/index/grown_dataset.h"
#include "fuzz/index/small_dataset.h"
#include "fuzz/memory_file.h"
#include "index/catalog/paths.h"
#include "index/catalog/row_checksums.h"
#include "index/database/schema.h"
#include "index/database/sqlite.h"

namespace ofindex {
namespace {

// Small pages make the file small, and quick to write. The size of pages is not checked when an index is read.
constexpr int kForgedPageBytes = 4096;
constexpr size_t kMostForgeries = 6;

std::string FileContent(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

sqlite::Database OpenForged(const std::string& path) {
  Result<sqlite::Database> database = sqlite::Database::OpenForWriting(path, kForgedPageBytes);
  Expect(database.has_value(), "the index cannot be opened for writing");
  return std::move(*database);
}

// An index as its changes begin: its schema has no rules about types, so that any row can be written.
struct LaxIndex {
  std::string path;  // of the forgeries
  std::string bytes;
  std::vector<TableShape> tables;
};

LaxIndex MakeLaxIndex(const std::string& sound) {
  const std::string path = StrCat(sound.substr(0, sound.rfind('/')), "/forged.ofidx");
  WriteFileAt(path, AsBytes(FileContent(sound)));
  {
    sqlite::Database database = OpenForged(path);
    const Result<void> relaxed = database.Execute(
        "PRAGMA page_size = 4096; VACUUM; PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = "
        "replace(replace(replace(sql, 'STRICT, WITHOUT', 'WITHOUT'), ') STRICT', ')'), ' NOT NULL', '')");
    Expect(relaxed.has_value(), "the schema cannot be relaxed: ", relaxed ? "" : relaxed.error().message);
    Expect(database.Close().has_value(), "the index cannot be closed");
  }
  LaxIndex lax{.path = path, .bytes = FileContent(path), .tables = {}};
  sqlite::Database database = OpenForged(path);
  lax.tables = TableShapes(database).value();
  lax.tables.push_back({.name = "checksum", .columns = {"\"part\"", "\"rows\"", "\"sum\""}, .key = "\"part\""});
  return lax;
}

// Restores the rules, without which no index is accepted.
void RestoreSchema(sqlite::Database& database) {
  Expect(database.Execute("PRAGMA writable_schema = ON").has_value(), "the schema cannot be written");
  const std::string_view schema = kSchema;
  for (size_t at = 1; at < schema.size();) {
    const size_t end = schema.find(";\n", at);
    const std::string_view sql = schema.substr(at, end - at);
    at = end + 2;
    const std::string_view name = sql.substr(sql.find(sql.starts_with("CREATE TABLE") ? "TABLE " : "INDEX ") + 6);
    auto put = database.Prepare("UPDATE sqlite_schema SET sql = ? WHERE name = ?");
    Expect(put.has_value() && put->Run(sql, name.substr(0, name.find_first_of("( "))).has_value(),
           "the schema cannot be restored");
  }
}

// Gives the rows correct checksums, as any forger could.
void MendChecksums(sqlite::Database& database, const std::vector<TableShape>& tables) {
  RowHash hash;
  for (const TableShape& table : tables) {
    if (table.sum < 0) continue;
    std::vector<std::pair<ColumnValue, uint64_t>> sums;
    {
      auto rows = database.Prepare(table.Select(true));
      if (!rows) return;
      for (Result<bool> row = rows->Next(); row && *row; row = rows->Next()) {
        hash.AddColumns(*rows, table.covered, rows->columns());
        sums.emplace_back(rows->Value(0), hash.Take());
      }
    }
    auto put = database.Prepare(StrCat("UPDATE ", table.name, " SET sum = ? WHERE ", table.key, " IS ?"));
    for (const auto& [key, sum] : sums) static_cast<void>(put.has_value() && put->Run(sum, key).has_value());
  }
  static_cast<void>(database.Execute("DELETE FROM checksum; DELETE FROM dataset WHERE key = 'checksum'").has_value());
  static_cast<void>(IsThere(SealRows(database)));
}

ColumnValue TakeCell(FuzzInput& input) {
  static constexpr int64_t kInteresting[] = {0,       1,          -1,        2,         7,         255,
                                             65535,   65536,      INT32_MAX, INT64_MAX, INT64_MIN, int64_t{1} << 48,
                                             1 << 20, UINT32_MAX, INT32_MIN, 90};
  ColumnValue value;
  switch (input.Below(6)) {
    case 0: return value;
    case 1:
      value.type = ColumnValue::Type::kInteger;
      value.integer = kInteresting[input.Below(std::size(kInteresting))];
      return value;
    case 2:
      value.type = ColumnValue::Type::kInteger;
      value.integer = static_cast<int64_t>(input.Number(8));
      return value;
    case 3:
      value.type = ColumnValue::Type::kReal;
      value.real = static_cast<double>(input.Number(2)) / 16;
      return value;
    case 4: value.type = ColumnValue::Type::kText; break;
    default: value.type = ColumnValue::Type::kBlob;
  }
  value.bytes = std::string(AsText(input.Bytes(input.Byte())));
  return value;
}

// A row of a table, by its place.
struct ChosenRow {
  const TableShape& table;
  std::string where;

  ChosenRow(const std::vector<TableShape>& tables, FuzzInput& input) : table(tables[input.Below(tables.size())]) {
    where = StrCat(" WHERE (", table.key, ") IS (SELECT ", table.key, " FROM ", table.name, " LIMIT 1 OFFSET ",
                   input.Byte() % 64, ")");
  }
};

// Returns a blob or text with some of its bytes replaced.
ColumnValue PatchedCell(ColumnValue value, FuzzInput& input) {
  if (value.type == ColumnValue::Type::kInteger) {
    value.integer ^= int64_t{1} << input.Byte() % 64;
    return value;
  }
  const uint64_t at = input.Number(2);
  const ByteView bytes = input.Bytes(1 + input.Below(16));
  if (value.bytes.empty()) return value;
  for (size_t i = 0; i < bytes.size(); ++i) value.bytes[(at + i) % value.bytes.size()] = static_cast<char>(bytes[i]);
  return value;
}

// Sets a fact of the dataset that it may not have.
bool ForgeFact(sqlite::Database& database, FuzzInput& input) {
  static constexpr const char* kFacts[] = {"part",       "derive", "columns", "root",
                                           "generation", "id",     "records", "skipped"};
  const std::string name = kFacts[input.Below(std::size(kFacts))];
  auto put = database.Prepare("INSERT OR REPLACE INTO dataset (key, value) VALUES (?, ?)");
  return put.has_value() && put->Run(name, TakeCell(input)).has_value();
}

bool ForgeOnce(sqlite::Database& database, const std::vector<TableShape>& tables, FuzzInput& input) {
  const size_t what = input.Below(7);
  if (what == 6) return ForgeFact(database, input);
  const ChosenRow row(tables, input);
  const std::string& column = row.table.columns[input.Byte() % row.table.columns.size()];
  const std::string update = StrCat("UPDATE ", row.table.name, " SET ", column, " = ?", row.where);
  ColumnValue value;
  switch (what) {
    case 0:
    case 1: value = TakeCell(input); break;
    case 2:
    case 3: {
      auto cell = database.Prepare(StrCat("SELECT ", column, " FROM ", row.table.name, row.where));
      if (!cell) return false;
      const Result<bool> there = cell->Next();
      if (!there || !*there) return false;
      value = PatchedCell(cell->Value(0), input);
      break;
    }
    case 4: return database.Execute(StrCat("DELETE FROM ", row.table.name, row.where).c_str()).has_value();
    default: {  // the cell of another row
      const std::string other = StrCat("UPDATE ", row.table.name, " SET ", column, " = (SELECT ", column, " FROM ",
                                       row.table.name, " LIMIT 1 OFFSET ", input.Byte() % 64, ")", row.where);
      return database.Execute(other.c_str()).has_value();
    }
  }
  auto put = database.Prepare(update);
  return put.has_value() && put->Run(value).has_value();
}

}  // namespace

ForgedIndex::ForgedIndex(bool is_updated, FuzzInput& input) {
  static const LaxIndex small = MakeLaxIndex(SmallDataset::Get().index());
  static const LaxIndex grown = MakeLaxIndex(GrownDataset::Get().index());
  const LaxIndex& lax = is_updated ? grown : small;
  path_ = lax.path;
  const uint8_t choices = input.Byte();
  const size_t forgeries = choices % (kMostForgeries + 1);
  WriteFileAt(path_, AsBytes(lax.bytes));
  {
    sqlite::Database database = OpenForged(path_);
    for (size_t i = 0; i < forgeries; ++i) is_changed_ = ForgeOnce(database, lax.tables, input) || is_changed_;
    if (choices < 224) MendChecksums(database, lax.tables);
    RestoreSchema(database);
    Expect(database.Close().has_value(), "the index cannot be closed");
  }
  if (input.empty() || choices % 4 != 3) return;
  std::string bytes = FileContent(path_);
  while (!input.empty()) bytes[input.Number(3) % bytes.size()] = static_cast<char>(input.Byte());
  WriteFileAt(path_, AsBytes(bytes));
  is_changed_ = true;
}

ForgedIndex::~ForgedIndex() {
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
  std::filesystem::remove(MapPathOf(path_), ignored);
}

}  // namespace ofindex
