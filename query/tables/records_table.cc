#include "query/tables/records_table.h"

#include <sqlite3.h>

#include <limits>
#include <utility>

#include "base/allocation.h"
#include "base/text.h"
#include "query/columns/column_affinity.h"
#include "query/columns/snapshot.h"
#include "query/tables/cell.h"
#include "query/tables/groups/grouped_rows.h"
#include "query/tables/ordered_scan.h"
#include "query/tables/records_lookups.h"
#include "query/tables/records_plan.h"
#include "query/tables/records_planner.h"
#include "query/tables/records_scan.h"
#include "query/tables/tables.h"
#include "query/tables/values/has_function.h"
#include "query/tables/values/sql_values.h"
#include "query/tables/values/table_module.h"

// The glue between SQLite's virtual-table interface and the engine. Nothing may be thrown through SQLite: Guarded()
// calls everything that can run out of memory.

namespace ofindex {
namespace {

struct Table : sqlite3_vtab {
  explicit Table(RecordsSource records)
      : sqlite3_vtab{}, source(std::move(records)), lookups(*source.store, source.limits) {}
  RecordsSource source;
  RecordsLookups lookups;
};

struct Cursor : sqlite3_vtab_cursor {
  explicit Cursor(const RecordsSource& source)
      : sqlite3_vtab_cursor{}, scan(*source.store, source.limits), ordered(*source.store, source.limits, scan) {}
  RecordsScan scan;
  OrderedScan ordered;                  // moves `scan` while it is active
  std::unique_ptr<GroupedRows> groups;  // the rows are groups; null: they are records
  std::string json;                     // of the last list read
};

Table& TableOf(sqlite3_vtab* table) { return *static_cast<Table*>(table); }
Cursor& CursorOf(sqlite3_vtab_cursor* cursor) { return *static_cast<Cursor*>(cursor); }

// The declaration is our own text, as long as the names require: limits for untrusted statements do not apply to it.
class Unlimited {
 public:
  explicit Unlimited(sqlite3* db)
      : db_(db), length_(Set(SQLITE_LIMIT_SQL_LENGTH)), columns_(Set(SQLITE_LIMIT_COLUMN)) {}
  ~Unlimited() {
    sqlite3_limit(db_, SQLITE_LIMIT_SQL_LENGTH, length_);
    sqlite3_limit(db_, SQLITE_LIMIT_COLUMN, columns_);
  }
  Unlimited(const Unlimited&) = delete;
  Unlimited& operator=(const Unlimited&) = delete;

 private:
  int Set(int limit) { return sqlite3_limit(db_, limit, std::numeric_limits<int>::max()); }

  sqlite3* db_;
  int length_;
  int columns_;
};

// Columns for computed columns have no affinity that a comparison would apply.
std::string DeclarationOf(const ColumnStore& store, const GroupedScans* groups) {
  std::string sql = "CREATE TABLE x(";
  for (const Column& column : store.columns()) {
    if (sql.back() != '(') sql += ',';
    sql += StrCat(QuotedName(column.name), " ", DeclaredType(store, column), column.is_hidden() ? " HIDDEN" : "");
  }
  if (groups != nullptr) {
    for (const std::string& name : groups->computed_names()) sql += StrCat(",", QuotedName(name), " BLOB HIDDEN");
  }
  return sql + ")";
}

Result<void> Declare(sqlite3* db, const RecordsSource& source) {
  const ColumnStore& store = *source.store;
  for (const Column& column : store.columns()) {
    if (!IsText(AsBytes(column.name))) {
      return Fail(ErrorCode::kIndex,
                  StrCat("the index is damaged: '", Printable(column.name), "' is not a valid column name"));
    }
  }
  const Unlimited unlimited(db);
  if (sqlite3_declare_vtab(db, DeclarationOf(store, source.groups.get()).c_str()) == SQLITE_OK) return {};
  return Fail(ErrorCode::kIndex, StrCat("SQLite refuses the columns of the index: ", sqlite3_errmsg(db)));
}

// Creates the table of `source`, or sets `message` to the reason why it cannot.
int Make(sqlite3* db, Result<RecordsSource> source, sqlite3_vtab** made, char** message) {
  const Result<void> result = WithMemory("a table", [&]() -> Result<void> {
    if (!source) return tl::unexpected<Error>(source.error());
    OFINDEX_TRY(Declare(db, *source));
    *made = new Table(*std::move(source));
    return {};
  });
  if (result) return SQLITE_OK;
  *message = sqlite3_mprintf("%s", result.error().message.c_str());
  return CodeOf(result.error());
}

int Connect(sqlite3* db, void* source, int, const char* const*, sqlite3_vtab** made, char** message) {
  sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS);
  return Make(db, *static_cast<const RecordsSource*>(source), made, message);
}

// Returns a quoted argument of a module without its quotes.
std::string Unquoted(std::string_view text) {
  const char quote = text.empty() ? '\0' : text[0];
  if (text.size() < 2 || (quote != '\'' && quote != '"') || text.back() != quote) return std::string(text);
  std::string out;
  for (size_t i = 1; i + 1 < text.size(); ++i) {
    out += text[i];
    if (text[i] == quote) ++i;
  }
  return out;
}

Result<RecordsSource> OpenSource(int count, const char* const* arguments) {
  if (count != 4) return Fail(ErrorCode::kUsage, "expected USING ofindex('path'), the path of an index or of its data");
  OFINDEX_ASSIGN(const std::shared_ptr<const Snapshot> snapshot, Snapshot::Open(Unquoted(arguments[3])));
  OFINDEX_ASSIGN(std::shared_ptr<ColumnStore> store, snapshot->Columns());
  return RecordsSource{.store = std::move(store)};
}

int Create(sqlite3* db, void*, int count, const char* const* arguments, sqlite3_vtab** made, char** message) {
  sqlite3_vtab_config(db, SQLITE_VTAB_DIRECTONLY);  // it reads files
  return Make(db, WithMemory("an index", [&] { return OpenSource(count, arguments); }), made, message);
}

int Disconnect(sqlite3_vtab* table) {
  delete &TableOf(table);
  return SQLITE_OK;
}

int BestIndex(sqlite3_vtab* table, sqlite3_index_info* info) {
  return Guarded(table, [&]() -> Result<void> {
    const RecordsSource& source = TableOf(table).source;
    const bool plain = source.plain || (source.groups != nullptr && source.groups->plain());
    const std::string text = PlanRecords(*source.store, plain, source.groups.get(), *info).Encode();
    info->idxStr = sqlite3_mprintf("%s", text.c_str());
    info->needToFreeIdxStr = 1;
    if (info->idxStr == nullptr) return Fail(ErrorCode::kLimit, "out of memory for a plan");
    return {};
  });
}

int Open(sqlite3_vtab* table, sqlite3_vtab_cursor** cursor) {
  return Guarded(table, [&]() -> Result<void> {
    *cursor = new Cursor(TableOf(table).source);
    return {};
  });
}

int Close(sqlite3_vtab_cursor* cursor) {
  delete &CursorOf(cursor);
  return SQLITE_OK;
}

// Returns the groups that the session accepted for `plan`; null if the scan returns records.
const GroupedScan* GroupsOf(const RecordsSource& source, const RecordsPlan& plan) {
  return source.groups == nullptr || !plan.group ? nullptr : source.groups->Find(*plan.group);
}

Result<void> Begin(Cursor& cursor, Table& table, const RecordsPlan& plan, sqlite3_value** values) {
  const RecordsSource& source = table.source;
  std::vector<Constraint> constraints;
  for (size_t i = 0; i < plan.arguments.size(); ++i) {
    OFINDEX_ASSIGN(Constraint constraint, RecordsPlan::ConstraintOf(*source.store, plan.arguments[i], values[i]));
    constraints.push_back(std::move(constraint));
  }
  cursor.groups.reset();
  cursor.ordered.Stop();
  if (const GroupedScan* const groups = GroupsOf(source, plan); groups != nullptr) {
    cursor.groups = std::make_unique<GroupedRows>(*source.store, source.limits, source.groups->armed());
    return cursor.groups->Begin(*groups, constraints);
  }
  if (source.pushed == nullptr || !source.pushed->active) {
    if (!plan.order.empty()) return cursor.ordered.Begin(plan, std::move(constraints));
    OFINDEX_ASSIGN(std::optional<AscendingRows> found, table.lookups.Find(constraints));
    if (found) return cursor.scan.BeginAt(*std::move(found), constraints, plan.descending);
    return cursor.scan.Begin(constraints, plan.descending);
  }
  source.pushed->conjunctions.push_back(std::move(constraints));
  cursor.scan.Finish();
  return {};
}

int Filter(sqlite3_vtab_cursor* cursor, int, const char* text, int, sqlite3_value** values) {
  return Guarded(cursor->pVtab,
                 [&] { return Begin(CursorOf(cursor), TableOf(cursor->pVtab), RecordsPlan::Decode(text), values); });
}

int Next(sqlite3_vtab_cursor* base) {
  Cursor& cursor = CursorOf(base);
  if (cursor.groups == nullptr && cursor.scan.TryNext()) return SQLITE_OK;
  return Guarded(base->pVtab, [&]() -> Result<void> {
    if (cursor.groups != nullptr) return cursor.groups->Next();
    return cursor.ordered.active() ? cursor.ordered.Next() : cursor.scan.Next();
  });
}

int Eof(sqlite3_vtab_cursor* base) {
  const Cursor& cursor = CursorOf(base);
  return (cursor.groups != nullptr ? cursor.groups->done() : cursor.scan.done()) ? 1 : 0;
}

int Cell(sqlite3_vtab_cursor* base, sqlite3_context* context, int number) {
  Cursor& cursor = CursorOf(base);
  const auto column = static_cast<uint32_t>(number);
  const ColumnStore& store = *TableOf(base->pVtab).source.store;
  if (cursor.groups != nullptr) {
    cursor.groups->Put(context, column);
    return SQLITE_OK;
  }
  if (column >= store.columns().size()) {
    return Report(base->pVtab, {ErrorCode::kLimit, "SQL: a computed column was read without groups", "report this"});
  }
  if (column == 0) {
    sqlite3_result_int64(context, static_cast<sqlite3_int64>(cursor.scan.ordinal()));
    return SQLITE_OK;
  }
  if (column == 1) {
    const std::string& path = store.shard_text(store.blocks()[cursor.scan.block()].shard);
    sqlite3_result_text64(context, path.data(), path.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
    return SQLITE_OK;
  }
  const Chunk* const known = cursor.scan.KnownChunk(column);
  if (known != nullptr && known->form() != Chunk::Form::kLists) {
    PutCell(context, *known, cursor.scan.record(), cursor.json);
    return SQLITE_OK;
  }
  return Guarded(base->pVtab, [&]() -> Result<void> {
    OFINDEX_ASSIGN(const Chunk* const chunk, cursor.scan.ChunkOf(column));
    PutCell(context, *chunk, cursor.scan.record(), cursor.json);
    return {};
  });
}

int Rowid(sqlite3_vtab_cursor* cursor, sqlite3_int64* rowid) {
  *rowid = static_cast<sqlite3_int64>(CursorOf(cursor).scan.ordinal());
  return SQLITE_OK;
}

// has() on a column of the table is pushed down; SQLite offers it as a constraint with this number.
int FindFunction(sqlite3_vtab*, int arguments, const char* name,
                 void (**function)(sqlite3_context*, int, sqlite3_value**), void** data) {
  if (arguments != 2 || sqlite3_stricmp(name, "has") != 0) return 0;
  *function = Has;
  *data = nullptr;
  return SQLITE_INDEX_CONSTRAINT_FUNCTION;
}

constexpr sqlite3_module ModuleOf(decltype(sqlite3_module::xCreate) create,
                                  decltype(sqlite3_module::xConnect) connect) {
  sqlite3_module module{};
  module.iVersion = 1;
  module.xCreate = create;
  module.xConnect = connect;
  module.xBestIndex = BestIndex;
  module.xDisconnect = Disconnect;
  module.xDestroy = Disconnect;
  module.xOpen = Open;
  module.xClose = Close;
  module.xFilter = Filter;
  module.xNext = Next;
  module.xEof = Eof;
  module.xColumn = Cell;
  module.xRowid = Rowid;
  module.xFindFunction = FindFunction;
  return module;
}

// Without xCreate, a table exists under the name of its module.
constexpr sqlite3_module kRecordsModule = ModuleOf(nullptr, Connect);
constexpr sqlite3_module kAttachedRecordsModule = ModuleOf(Connect, Connect);
constexpr sqlite3_module kIndexModule = ModuleOf(Create, Create);

}  // namespace

Result<void> RegisterRecordsTable(sqlite3* db, RecordsSource source, const std::string& schema) {
  OFINDEX_TRY(RegisterHas(db));
  auto* const data = new RecordsSource(std::move(source));
  const auto destroy = [](void* kept) { delete static_cast<RecordsSource*>(kept); };
  return RegisterTable(db, schema, "records", schema.empty() ? kRecordsModule : kAttachedRecordsModule, data, destroy);
}

Result<void> RegisterRecords(sqlite3* db, std::shared_ptr<ColumnStore> store, WorkLimits limits) {
  return RegisterRecordsTable(db, {.store = std::move(store), .limits = std::move(limits)});
}

Result<void> RegisterIndexModule(sqlite3* db) {
  OFINDEX_TRY(RegisterHas(db));
  return RegisterTable(db, "", "ofindex", kIndexModule, nullptr, nullptr);
}

}  // namespace ofindex
