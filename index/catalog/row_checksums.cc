#include "index/catalog/row_checksums.h"

#include <bit>
#include <utility>

#include "base/text.h"
#include "index/catalog/catalog.h"
#include "index/database/schema.h"

namespace ofindex {
namespace {

constexpr std::string_view kSumsTable = "checksum";
constexpr std::string_view kColumnsTable = "chunk";  // its rows are split into parts by feature and role
constexpr char kTopKey[] = "checksum";

// Returns the names of the schema's tables, in its order.
std::vector<std::string> TableNames() {
  constexpr std::string_view kCreate = "CREATE TABLE ";
  const std::string_view schema = kSchema;
  std::vector<std::string> names;
  for (size_t at = schema.find(kCreate); at != std::string_view::npos; at = schema.find(kCreate, at)) {
    at += kCreate.size();
    names.emplace_back(schema.substr(at, schema.find('(', at) - at));
  }
  return names;
}

Result<TableShape> ShapeOf(sqlite::Database& database, const std::string& name) {
  OFINDEX_ASSIGN(sqlite::Statement rows, database.Prepare("SELECT name, type, pk FROM pragma_table_info(?)"));
  OFINDEX_TRY(rows.Bind(std::string_view(name)));
  TableShape shape{.name = name, .columns = {}, .key = {}};
  for (;;) {
    OFINDEX_ASSIGN(const bool row, rows.Next());
    if (!row) return shape;
    const std::string quoted = StrCat("\"", rows.Text(0), "\"");
    if (rows.Int(2) != 0) shape.key += StrCat(shape.key.empty() ? "" : ", ", quoted);
    const bool has_sum = shape.sum >= 0 && rows.Text(1) == "BLOB";
    if (rows.Text(0) == "sum") shape.sum = static_cast<int>(shape.columns.size());
    if (!has_sum) ++shape.covered;
    shape.columns.push_back(quoted);
  }
}

// The top checksum does not cover its own row.
std::string WithoutTop(const TableShape& shape) {
  return shape.name == "dataset" ? StrCat(" WHERE key <> '", kTopKey, "'") : std::string();
}

Result<void> SumTable(sqlite::Database& database, const TableShape& shape, bool all, FoundSums& found) {
  if (shape.name != kColumnsTable) found.parts[shape.name];
  OFINDEX_ASSIGN(sqlite::Statement rows,
                 database.Prepare(StrCat(shape.Select(all), WithoutTop(shape), " ORDER BY ", shape.key)));
  RowHash hash;
  for (;;) {
    OFINDEX_ASSIGN(const bool row, rows.Next());
    if (!row) return {};
    PartSum& part = found.parts[shape.PartOf(rows)];
    ++part.rows;
    hash.AddColumns(rows, 0, shape.covered);
    part.sum += hash.Take();
    if (found.wrong_row.empty() && !shape.RowHolds(rows, hash)) {
      found.wrong_row = StrCat("row ", rows.Int(0), " of table ", shape.name);
    }
  }
}

std::string Describe(const PartSum& sum) {
  return StrCat(FormatCount(sum.rows), sum.rows == 1 ? " row" : " rows", " of checksum ", ToHex(sum.sum));
}

}  // namespace

void RowHash::AddInteger(int64_t value) {
  AddType(ColumnValue::Type::kInteger);
  hash_.Add(static_cast<uint64_t>(value));
}

void RowHash::AddReal(double value) {
  AddType(ColumnValue::Type::kReal);
  hash_.Add(std::bit_cast<uint64_t>(value));
}

void RowHash::AddBytes(ColumnValue::Type type, ByteView bytes) {
  AddType(type);
  hash_.Add(uint64_t{bytes.size()});
  hash_.Add(bytes);
}

void RowHash::AddColumns(const sqlite::Statement& row, int begin, int end) {
  for (int column = begin; column < end; ++column) {
    switch (row.Type(column)) {
      case ColumnValue::Type::kNull: AddNull(); break;
      case ColumnValue::Type::kInteger: AddInteger(row.Int(column)); break;
      case ColumnValue::Type::kReal: AddReal(row.Real(column)); break;
      case ColumnValue::Type::kText: AddText(row.Text(column)); break;
      case ColumnValue::Type::kBlob: AddBlob(row.Blob(column)); break;
    }
  }
}

uint64_t RowHash::Take() {
  const uint64_t digest = hash_.Digest64();
  hash_.Reset();
  return digest;
}

std::string TableShape::PartOf(const sqlite::Statement& row) const {
  // Columns 1 and 2 of `chunk` are feature and role.
  return name == kColumnsTable ? StrCat(name, "/", row.Int(1), "/", row.Text(2)) : name;
}

std::string ChunkPart(uint32_t feature, std::string_view role) {
  return StrCat(kColumnsTable, "/", int64_t{feature}, "/", role);
}

std::string TableShape::Select(bool all) const {
  std::string sql = "SELECT ";
  const size_t count = all ? columns.size() : static_cast<size_t>(covered);
  for (size_t i = 0; i < count; ++i) sql += StrCat(i == 0 ? "" : ", ", columns[i]);
  return StrCat(sql, " FROM ", name);
}

bool TableShape::RowHolds(const sqlite::Statement& row, RowHash& hash) const {
  if (sum < 0 || row.columns() == covered) return true;
  hash.AddColumns(row, covered, row.columns());
  return hash.Take() == row.Unsigned(sum);
}

Result<std::vector<TableShape>> TableShapes(sqlite::Database& database) {
  std::vector<TableShape> shapes;
  for (const std::string& name : TableNames()) {
    if (name == kSumsTable) continue;
    OFINDEX_ASSIGN(TableShape shape, ShapeOf(database, name));
    shapes.push_back(std::move(shape));
  }
  return shapes;
}

Result<FoundSums> SumRows(sqlite::Database& database, bool all) {
  OFINDEX_ASSIGN(const std::vector<TableShape> shapes, TableShapes(database));
  FoundSums found;
  for (const TableShape& shape : shapes) OFINDEX_TRY(SumTable(database, shape, all, found));
  return found;
}

Result<StoredSums> ReadSums(sqlite::Database& database) {
  RowHash top;
  top.AddInteger(kApplicationId);
  top.AddInteger(kFormatVersion);
  top.AddText(kSchema);
  StoredSums stored;
  OFINDEX_ASSIGN(sqlite::Statement rows, database.Prepare("SELECT part, rows, sum FROM checksum ORDER BY part"));
  for (;;) {
    OFINDEX_ASSIGN(const bool row, rows.Next());
    if (!row) break;
    top.AddColumns(rows, 0, rows.columns());
    stored.parts[std::string(rows.Text(0))] = {.rows = rows.Unsigned(1), .sum = rows.Unsigned(2)};
  }
  stored.top = ToHex(top.Take());
  return stored;
}

Result<void> SealRows(sqlite::Database& database) {
  OFINDEX_ASSIGN(const FoundSums found, SumRows(database, false));
  OFINDEX_ASSIGN(sqlite::Statement add, database.Prepare("INSERT INTO checksum VALUES (?, ?, ?)"));
  for (const auto& [part, sum] : found.parts) OFINDEX_TRY(add.Run(std::string_view(part), sum.rows, sum.sum));
  OFINDEX_ASSIGN(const StoredSums stored, ReadSums(database));
  OFINDEX_ASSIGN(sqlite::Statement fact, database.Prepare("INSERT INTO dataset VALUES (?, ?)"));
  return fact.Run(std::string_view(kTopKey), std::string_view(stored.top));
}

Result<bool> CheckedRows::Next() {
  OFINDEX_ASSIGN(const bool row, rows_.Next());
  if (!row) {
    if (found_ == expected_) return false;
    return DamagedPart(path_, part_, expected_, found_);
  }
  hash_.AddColumns(rows_, 0, shape_.covered);
  found_.sum += hash_.Take();
  if (++found_.rows > expected_.rows) return DamagedPart(path_, part_, expected_, found_);
  if (!shape_.RowHolds(rows_, hash_)) {
    return DamagedIndex(path_, StrCat("the checksum of row ", rows_.Int(0), " of table ", shape_.name, " is wrong"));
  }
  return true;
}

tl::unexpected<Error> DamagedIndex(const std::string& path, const std::string& what) {
  return Fail(ErrorCode::kIndex, StrCat(Printable(path), ": the index is damaged: ", what),
              "rebuild the index with `ofindex build --force`");
}

tl::unexpected<Error> DamagedPart(const std::string& path, std::string_view part, const PartSum& expected,
                                  const PartSum& found) {
  const bool column = part.starts_with(kColumnsTable);
  return DamagedIndex(path, StrCat(column ? "column " : "table ", Printable(part), ": expected ", Describe(expected),
                                   ", got ", Describe(found)));
}

}  // namespace ofindex
