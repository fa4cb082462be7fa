#include "query/sql/open_session.h"

#include <sqlite3.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/text.h"
#include "query/sql/grouped_statements.h"
#include "query/sql/statements/statement_text.h"
#include "query/tables/catalog_tables.h"
#include "query/tables/records_table.h"
#include "query/tables/values/table_module.h"

namespace ofindex {
namespace {

// The schema of an index without a name, if there are others: tables that are not created come last when SQLite looks
// for a name.
constexpr char kMain[] = "main";

/// The contents of one index's tables, and their schema, as in RegisterTable().
struct IndexTables {
  std::string schema;
  std::shared_ptr<ColumnStore> store;
  std::shared_ptr<const Catalog> catalog;

  static Result<IndexTables> Of(const Snapshot& snapshot, std::string schema) {
    OFINDEX_ASSIGN(const std::shared_ptr<SharedCatalog> shared, snapshot.Catalog());
    OFINDEX_ASSIGN(std::shared_ptr<ColumnStore> store, snapshot.Columns());
    OFINDEX_ASSIGN(Catalog read, ReadCatalog(*shared, store->features()));
    return IndexTables{std::move(schema), std::move(store), std::make_shared<const Catalog>(std::move(read))};
  }

  // `groups` may be null.
  Result<void> Add(sqlite3* db, const WorkLimits& limits, const std::shared_ptr<GroupedScans>& groups) const {
    if (!schema.empty() && schema != kMain) OFINDEX_TRY(Attach(db));
    OFINDEX_TRY(RegisterRecordsTable(db, {.store = store, .groups = groups, .limits = limits}, schema));
    return RegisterCatalogTables(db, catalog, limits, schema);
  }

  Result<void> Attach(sqlite3* db) const {
    const std::string sql = StrCat("ATTACH ':memory:' AS ", QuotedName(schema));
    if (sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK) return {};
    return Fail(ErrorCode::kLimit, StrCat("index ", schema, ": SQLite: ", sqlite3_errmsg(db)),
                "query fewer indexes at a time");
  }

  void AddNames(std::vector<std::string>& names) const {
    names.push_back(TableName(schema, "records"));
    for (const std::string_view table : kCatalogTables) names.push_back(TableName(schema, std::string(table)));
  }
};

using AllTables = std::vector<IndexTables>;

std::vector<std::string> NamesOf(const AllTables& all) {
  std::vector<std::string> names;
  for (const IndexTables& tables : all) tables.AddNames(names);
  return names;
}

/// The sessions for aggregates over the records of one index each, opened by the first statement that may need them.
class Groups {
 public:
  explicit Groups(std::shared_ptr<const AllTables> all) : all_(std::move(all)), opened_(all_->size()) {}

  Result<std::optional<SqlRows>> Query(std::string_view sql, const std::vector<SqlParameter>& parameters,
                                       const SqlLimits& limits) {
    if (!MayAggregate(sql)) return std::nullopt;
    const std::string folded = Folded(sql);
    for (size_t i = 0; i < all_->size(); ++i) {
      // The tables of the first one can be named without their schema.
      if (i > 0 && folded.find(Folded((*all_)[i].schema)) == std::string::npos) continue;
      if (opened_[i] == nullptr && !Open(i)) continue;  // the ordinary session needs no second connection
      OFINDEX_ASSIGN(std::optional<SqlRows> rows, opened_[i]->Query(sql, parameters, limits));
      if (rows) return rows;
    }
    return std::nullopt;
  }

 private:
  // Returns false if there is no memory.
  bool Open(size_t grouped) {
    const auto add = [this, grouped](sqlite3* db, const WorkLimits& limits,
                                     const std::shared_ptr<GroupedScans>& scans) -> Result<void> {
      for (size_t i = 0; i < all_->size(); ++i) OFINDEX_TRY((*all_)[i].Add(db, limits, i == grouped ? scans : nullptr));
      return {};
    };
    Result<std::unique_ptr<GroupedStatements>> opened =
        GroupedStatements::Open((*all_)[grouped].store, add, NamesOf(*all_));
    if (!opened) return false;
    opened_[grouped] = *std::move(opened);
    return true;
  }

  std::shared_ptr<const AllTables> all_;
  std::vector<std::unique_ptr<GroupedStatements>> opened_;
};

bool IsPlainWord(std::string_view name) {
  const auto letter = [](char c) { return (Folded(c) >= 'a' && Folded(c) <= 'z') || c == '_'; };
  return !name.empty() && letter(name[0]) &&
         std::all_of(name.begin(), name.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

// Checks a name for an index or a table, and adds it to those taken.
Result<void> TakeName(const std::string& name, std::set<std::string>& taken) {
  const std::string folded = Folded(name);
  const auto refuse = [&](std::string_view why) {
    return Fail(ErrorCode::kUsage, StrCat("'", Printable(name), "' cannot be the name of a table or an index: ", why),
                "choose another name, such as t1");
  };
  if (!IsPlainWord(name)) return refuse("expected letters, digits and _, and no digit first");
  if (sqlite3_keyword_check(name.c_str(), static_cast<int>(name.size())) != 0) return refuse("it is a word of SQL");
  if (folded.starts_with("sqlite_") || folded.starts_with("pragma_")) return refuse("such names are SQLite's");
  if (!taken.insert(folded).second) return refuse("there is one of this name already");
  return {};
}

Result<void> TakeNames(const SessionParts& parts) {
  std::set<std::string> taken = {"main", "temp", "records", "json_each", "json_tree"};
  taken.insert(std::begin(kCatalogTables), std::end(kCatalogTables));
  for (const SessionParts::Index& index : parts.indexes) {
    if (!index.name.empty()) OFINDEX_TRY(TakeName(index.name, taken));
  }
  for (const MemoryTable& table : parts.tables) OFINDEX_TRY(TakeName(table.name, taken));
  return {};
}

Result<SqlSession> OpenOn(AllTables all, const std::vector<MemoryTable>& tables, uint64_t memory_bytes) {
  const auto shared = std::make_shared<const AllTables>(std::move(all));
  const auto add = [&](sqlite3* db, const WorkLimits& limits) -> Result<void> {
    for (const IndexTables& index : *shared) OFINDEX_TRY(index.Add(db, limits, nullptr));
    for (const MemoryTable& table : tables) OFINDEX_TRY(MakeMemoryTable(db, table));
    return {};
  };
  std::vector<std::string> names = NamesOf(*shared);
  for (const MemoryTable& table : tables) names.push_back(table.name);
  OFINDEX_ASSIGN(SqlSession session, SqlSession::Open(add, std::move(names), memory_bytes));
  std::vector<SqlSession::Index> indexes;
  for (const IndexTables& index : *shared) indexes.push_back({TableName(index.schema, "records"), index.store});
  session.KnowIndexes(std::move(indexes));
  const auto groups = std::make_shared<Groups>(shared);
  session.AskFirst([groups](std::string_view sql, const std::vector<SqlParameter>& parameters,
                            const SqlLimits& limits) { return groups->Query(sql, parameters, limits); });
  return session;
}

}  // namespace

Result<SqlSession> OpenSession(const Snapshot& snapshot) {
  OFINDEX_ASSIGN(IndexTables tables, IndexTables::Of(snapshot, ""));
  return OpenOn({std::move(tables)}, {}, UINT64_MAX);
}

Result<SqlSession> OpenSession(const SessionParts& parts) {
  OFINDEX_TRY(TakeNames(parts));
  AllTables all;
  const bool alone = parts.indexes.size() == 1;
  for (const SessionParts::Index& index : parts.indexes) {
    OFINDEX_ASSIGN(IndexTables tables,
                   IndexTables::Of(*index.snapshot, alone || !index.name.empty() ? index.name : kMain));
    all.push_back(std::move(tables));
  }
  return OpenOn(std::move(all), parts.tables, parts.memory_bytes);
}

}  // namespace ofindex
