#include "index/catalog/catalog_reader.h"

#include <array>
#include <map>
#include <optional>
#include <utility>

#include "base/file.h"
#include "base/text.h"
#include "index/catalog/hex_digits.h"
#include "index/columns/derivations.h"
#include "index/database/schema.h"

namespace ofindex {
namespace {

constexpr char kRebuildHint[] = "rebuild the index with `ofindex build --force`";

// Checks the SQLite header of our files: magic, application_id at 68, user_version at 60 (sqlite.org/fileformat.html).
Result<void> CheckHeader(const IndexFile& index) {
  const std::string& path = index.path();
  std::array<uint8_t, 100> header{};
  OFINDEX_TRY(index.file().ReadAt(0, header));
  OFINDEX_TRY(index.CheckUnchanged());  // a rewritten file is stale, whatever it holds now
  if (!IsIndexHeader(AsText(header))) {
    return Fail(ErrorCode::kIndex, StrCat(Printable(path), ": not an ofindex index"),
                "name an index, or the DATA that it is named after");
  }
  const uint32_t version = HeaderNumber(AsText(header), 60);  // user_version
  if (version != kFormatVersion) {
    return Fail(ErrorCode::kIndex,
                StrCat(Printable(path), ": an index of another version; expected ", kFormatVersion, ", got ", version),
                kRebuildHint);
  }
  return {};
}

// Only tables exactly as we create them are read: without computed columns, other orders or cycles.
Result<bool> HasOurTables(sqlite::Database& database) {
  OFINDEX_ASSIGN(sqlite::Statement rows, database.Prepare("SELECT sql FROM sqlite_schema ORDER BY rowid"));
  std::string schema = "\n";
  for (;;) {
    OFINDEX_ASSIGN(const bool row, rows.Next());
    if (!row) return schema == kSchema;
    schema += StrCat(rows.Text(0), ";\n");
  }
}

// The facts of the table `dataset`: all of them, each of its type, and no others.
class FactRows {
 public:
  void Put(std::string_view key, ColumnValue value) { values_.emplace(key, std::move(value)); }

  std::string Text(std::string_view key) { return Take(key, ColumnValue::Type::kText).bytes; }

  uint64_t Number(std::string_view key) {
    const int64_t value = Take(key, ColumnValue::Type::kInteger).integer;
    if (value < 0) Refuse(key);
    return value < 0 ? 0 : static_cast<uint64_t>(value);
  }

  [[nodiscard]] bool Has(std::string_view key) const { return values_.find(key) != values_.end(); }

  void Refuse(std::string_view key) {
    if (wrong_.empty()) wrong_ = key;
  }

  // Returns the first fact that is missing, of another type, out of range or unknown; empty if none.
  [[nodiscard]] std::string wrong() const {
    return wrong_.empty() && !values_.empty() ? values_.begin()->first : wrong_;
  }

 private:
  ColumnValue Take(std::string_view key, ColumnValue::Type type) {
    ColumnValue value;
    if (const auto found = values_.find(key); found != values_.end()) {
      value = std::move(found->second);
      values_.erase(found);
    }
    if (value.type == type) return value;
    Refuse(key);
    return {};
  }

  std::map<std::string, ColumnValue, std::less<>> values_;
  std::string wrong_;
};

}  // namespace

Result<CatalogReader> CatalogReader::Open(const std::string& path) {
  OFINDEX_ASSIGN(const std::shared_ptr<const IndexFile> index, IndexFile::Open(path));
  return Open(index);
}

Result<CatalogReader> CatalogReader::Open(const std::shared_ptr<const IndexFile>& index) {
  OFINDEX_ASSIGN(CatalogReader reader, OpenAny(index));
  const std::optional<PartFacts>& part = reader.facts().part;
  if (!part) return reader;
  return Fail(ErrorCode::kIndex,
              StrCat(Printable(index->path()), ": ", Describe(*part), " of an index; expected a whole index"),
              "put all parts together with `ofindex merge PART... -o INDEX`");
}

Result<CatalogReader> CatalogReader::OpenAny(const std::shared_ptr<const IndexFile>& index) {
  OFINDEX_TRY(CheckHeader(*index));
  OFINDEX_ASSIGN(sqlite::Database database, sqlite::Database::OpenImmutable(index));
  CatalogReader reader(std::move(database), index);
  OFINDEX_ASSIGN(const bool ours, HasOurTables(reader.database_));
  if (!ours) return reader.Inconsistent("its tables are not those of an index");
  OFINDEX_TRY(reader.ReadChecksums());
  OFINDEX_TRY(reader.ReadSources());
  OFINDEX_ASSIGN(const std::vector<GenerationRow> generations, reader.Generations());
  reader.generation_ = static_cast<uint64_t>(generations.back().number);
  return reader;
}

Result<void> CatalogReader::ReadChecksums() {
  OFINDEX_ASSIGN(std::vector<TableShape> shapes, TableShapes(database_));
  for (TableShape& shape : shapes) {
    std::string name = shape.name;
    shapes_.emplace(std::move(name), std::move(shape));
  }
  OFINDEX_ASSIGN(StoredSums stored, ReadSums(database_));
  sums_ = std::move(stored.parts);
  return ReadFacts(stored.top);
}

Result<CheckedRows> CatalogReader::Rows(std::string_view table, bool all) {
  return Rows(std::string(table), table, all, "");
}

Result<CheckedRows> CatalogReader::Rows(const std::string& part, std::string_view table, bool all,
                                        std::string_view condition) {
  const auto shape = shapes_.find(table);
  if (shape == shapes_.end()) return Inconsistent(StrCat("no table ", table));
  const auto sum = sums_.find(part);
  database_.RenewBudget();  // a reader may be kept, and reads a table any number of times
  OFINDEX_ASSIGN(sqlite::Statement rows,
                 database_.Prepare(StrCat(shape->second.Select(all), condition, " ORDER BY ", shape->second.key)));
  return CheckedRows(std::move(rows), shape->second, path(), part, sum == sums_.end() ? PartSum{} : sum->second);
}

Result<void> CatalogReader::ReadFacts(const std::string& top) {
  FactRows facts;
  OFINDEX_ASSIGN(sqlite::Statement stored_top, database_.Prepare("SELECT value FROM dataset WHERE key = 'checksum'"));
  OFINDEX_ASSIGN(const bool has_top, stored_top.Next());
  if (!has_top || stored_top.Value(0) != ColumnValue{.type = ColumnValue::Type::kText, .bytes = top}) {
    return Inconsistent(StrCat("table checksum: expected the checksum ",
                               has_top ? Printable(stored_top.Text(0)) : "none", ", got ", top));
  }
  OFINDEX_ASSIGN(CheckedRows rows, Rows("dataset", "dataset", true, " WHERE key <> 'checksum'"));
  for (;;) {
    OFINDEX_ASSIGN(const bool row, rows.Next());
    if (!row) break;
    facts.Put(rows->Text(0), rows->Value(1));
  }
  if (const std::optional<Digest128> id = DigestFromHex(facts.Text("id"))) {
    facts_.id = *id;
  } else {
    facts.Refuse("id");
  }
  if (facts.Has("part")) {
    facts_.part = PartFacts::Parse(facts.Text("part"));
    if (!facts_.part) facts.Refuse("part");
  }
  if (facts.Has("derive")) {
    facts_.derive = facts.Text("derive");
    if (facts_.derive.empty() || !Derivations::ParseText(facts_.derive)) facts.Refuse("derive");
  }
  facts_.records = facts.Number("records");
  facts_.ordinals = facts.Number("ordinals");
  facts_.payload_bytes = facts.Number("payload_bytes");
  facts_.data_bytes = facts.Number("data_bytes");
  shards_ = facts.Number("shards");
  const std::string checked = facts.Text("checked");
  facts_.checked = checked == Name(Checked::kPayloads) ? Checked::kPayloads : Checked::kFraming;
  if (checked != Name(facts_.checked)) facts.Refuse("checked");
  facts_.format = facts.Text("format");
  facts_.payload = facts.Text("payload");
  facts_.compression = facts.Text("compression");
  facts_.columns = facts.Text("columns");
  facts_.message = facts.Text("message");
  facts_.features_dropped = facts.Number("features_dropped") != 0;
  facts_.skipped = facts.Number("skipped");
  if (facts.Number("format_version") != kFormatVersion) facts.Refuse("format_version");
  if (!facts.wrong().empty()) return Inconsistent(StrCat("table dataset: the fact ", Printable(facts.wrong())));
  return {};
}

Result<void> CatalogReader::ReadSources() {
  OFINDEX_ASSIGN(CheckedRows rows, Rows("source"));
  for (;;) {
    OFINDEX_ASSIGN(const bool row, rows.Next());
    if (!row) return {};
    facts_.sources.emplace_back(rows->Text(1));
  }
}

Result<std::vector<GenerationRow>> CatalogReader::Generations() {
  OFINDEX_ASSIGN(CheckedRows rows, Rows("generation"));
  std::vector<GenerationRow> generations;
  for (;;) {
    OFINDEX_ASSIGN(const bool row, rows.Next());
    if (!row) break;
    const GenerationRow generation{rows->Int(0), rows->Unsigned(1), std::string(rows->Text(2))};
    const uint64_t least = generations.empty() ? 0 : generations.back().records;
    if (generation.number < 1 || generation.number > kMaxGeneration) {
      return Inconsistent(StrCat("generation ", generation.number, ": no such number"));
    }
    if (generation.records < least || generation.records > facts_.ordinals) {
      return Inconsistent(StrCat("generation ", generation.number, ": expected at most ", facts_.ordinals,
                                 " ordinals, got ", rows->Int(1)));
    }
    generations.push_back(generation);
  }
  if (generations.empty()) return Inconsistent("it has no generation");
  const GenerationRow& last = generations.back();
  if (last.records == facts_.ordinals && last.fingerprint == ToHex(facts_.id)) return generations;
  return Inconsistent(StrCat("generation ", last.number, ": expected the records and the id of the dataset"));
}

Result<void> CatalogReader::CheckRows(Blobs blobs) {
  database_.RenewBudget();
  OFINDEX_ASSIGN(const FoundSums found, SumRows(database_, blobs == Blobs::kChecked));
  if (!found.wrong_row.empty()) return Inconsistent(StrCat("the checksum of ", found.wrong_row, " is wrong"));
  for (const auto& [part, sum] : sums_) {
    const auto in_file = found.parts.find(part);
    const PartSum got = in_file == found.parts.end() ? PartSum{} : in_file->second;
    if (got != sum || in_file == found.parts.end()) return DamagedPart(path(), part, sum, got);
  }
  for (const auto& [part, sum] : found.parts) {
    if (!sums_.contains(part)) return DamagedPart(path(), part, {}, sum);
  }
  return blobs == Blobs::kChecked ? CheckColumnIndex() : Result<void>();
}

}  // namespace ofindex
