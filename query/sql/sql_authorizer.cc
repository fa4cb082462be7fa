#include "query/sql/sql_authorizer.h"

#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "query/sql/functions/added_functions.h"
#include "query/sql/sql_functions.h"
#include "query/tables/values/table_module.h"

namespace ofindex {
namespace {

constexpr int kMaxValueBytes = 64 << 20;
constexpr int kMaxStatementBytes = 100'000;

constexpr char kRecords[] = "records";

// SQLite's table-valued functions that read nothing except their arguments.
constexpr std::array<std::string_view, 2> kPureTables = {"json_each", "json_tree"};

// The allowed functions, in byte order: they depend only on their arguments, the clock and random numbers. json_patch
// is not allowed, because one call takes quadratic time and cannot be stopped.
// clang-format off
constexpr auto kFunctions = std::to_array<std::string_view>({
    "->", "->>", "abs", "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "avg", "ceil", "ceiling", "char",
    "coalesce", "cos", "cosh", "count", "cume_dist", "current_date", "current_time", "current_timestamp", "date",
    "datetime", "degrees", "dense_rank", "exp", "first_value", "floor", "format", "glob", "group_concat", "has",
    "hex", "ifnull", "iif", "instr", "json", "json_array", "json_array_length", "json_extract", "json_group_array",
    "json_group_object", "json_insert", "json_object", "json_quote", "json_remove", "json_replace", "json_set",
    "json_type", "json_valid", "julianday", "lag", "last_value", "lead", "length", "like", "likelihood", "likely",
    "ln", "log", "log10", "log2", "lower", "ltrim", "max", "median", "min", "mod", "nth_value", "ntile", "nullif",
    "octet_length", "percent_rank", "percentile", "pi", "pow", "power", "printf", "quote", "radians", "random", "randomblob",
    "rank", "regexp", "replace", "round", "row_number", "rtrim", "sign", "sin", "sinh", "sqlite_version", "sqrt", "stddev",
    "strftime", "string_agg",
    "substr", "substring", "sum", "tan", "tanh", "time", "total", "trim", "trunc", "typeof", "unhex", "unicode",
    "unixepoch", "unlikely", "upper", "variance", "zeroblob"
});
// clang-format on
static_assert(std::is_sorted(kFunctions.begin(), kFunctions.end()));

tl::unexpected<Error> NoSession(const std::string& what, Hint hint = "free some memory") {
  return Fail(ErrorCode::kLimit, StrCat("no SQL session: ", what), std::move(hint));
}

bool SameName(std::string_view a, const char* b) {
  return sqlite3_strnicmp(a.data(), b, static_cast<int>(a.size())) == 0 && b[a.size()] == '\0';
}

void Configure(sqlite3* db) {
  for (const auto& [option, value] :
       {std::pair{SQLITE_DBCONFIG_DEFENSIVE, 1}, std::pair{SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
        std::pair{SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0}, std::pair{SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0},
        std::pair{SQLITE_DBCONFIG_ENABLE_TRIGGER, 0}, std::pair{SQLITE_DBCONFIG_ENABLE_VIEW, 0},
        std::pair{SQLITE_DBCONFIG_WRITABLE_SCHEMA, 0},
        // Otherwise a misspelt "name" is a string, and matches every row or none.
        std::pair{SQLITE_DBCONFIG_DQS_DML, 0}, std::pair{SQLITE_DBCONFIG_DQS_DDL, 0}}) {
    sqlite3_db_config(db, option, value, nullptr);
  }
}

void Limit(sqlite3* db) {
  for (const auto& [limit, value] :
       {std::pair{SQLITE_LIMIT_ATTACHED, 0}, std::pair{SQLITE_LIMIT_LENGTH, kMaxValueBytes},
        std::pair{SQLITE_LIMIT_SQL_LENGTH, kMaxStatementBytes}, std::pair{SQLITE_LIMIT_EXPR_DEPTH, 100},
        std::pair{SQLITE_LIMIT_VDBE_OP, 250'000}, std::pair{SQLITE_LIMIT_COLUMN, 2000},
        std::pair{SQLITE_LIMIT_COMPOUND_SELECT, 500}, std::pair{SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000},
        std::pair{SQLITE_LIMIT_VARIABLE_NUMBER, 32'766}, std::pair{SQLITE_LIMIT_TRIGGER_DEPTH, 0},
        std::pair{SQLITE_LIMIT_WORKER_THREADS, 0}}) {
    sqlite3_limit(db, limit, value);
  }
}

}  // namespace

Result<sqlite3*> SqlAuthorizer::OpenEmpty() {
  if (!SqlMemory::IsCounted()) {
    return NoSession("the memory of statements cannot be bounded, since SQLite was in use before ofindex was loaded",
                     "load ofindex first, or link it with an SQLite of its own");
  }
  sqlite3* db = nullptr;
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  const int opened = sqlite3_open_v2(":memory:", &db, flags, nullptr);
  const bool set = opened == SQLITE_OK && sqlite3_exec(db, "PRAGMA temp_store = MEMORY; PRAGMA cell_size_check = 1",
                                                       nullptr, nullptr, nullptr) == SQLITE_OK;
  if (set) return db;
  const std::string why = db == nullptr ? "out of memory" : sqlite3_errmsg(db);
  sqlite3_close(db);
  return NoSession(why);
}

Result<void> SqlAuthorizer::LockDown(sqlite3* db) {
  const size_t registered = tables_.size();
  tables_.insert(tables_.end(), kPureTables.begin(), kPureTables.end());
  std::vector<const char*> kept;
  for (const std::string& table : tables_) kept.push_back(table.c_str());
  kept.push_back(nullptr);
  sqlite3_drop_modules(db, kept.data());
  for (const std::string& table : tables_) {
    const auto before = static_cast<ptrdiff_t>(columns_.size());
    OFINDEX_ASSIGN(SqlTable loaded, LoadTable(db, table));
    columns_of_.emplace_back(columns_.begin() + before, columns_.end());
    if (registered_.size() < registered) registered_.push_back(std::move(loaded));
  }
  if (!RegisterSqlFunctions(db, &monitor_) || !AddFunctions(db, work_limits())) return NoSession(sqlite3_errmsg(db));
  if (sqlite3_exec(db, "PRAGMA query_only = 1", nullptr, nullptr, nullptr) != SQLITE_OK) {
    return NoSession(sqlite3_errmsg(db));
  }
  Configure(db);
  Limit(db);
  sqlite3_set_authorizer(db, Authorize, this);
  return {};
}

// Returns a table with the columns that `*` stands for, and collects all, hidden ones too. SQLite creates an eponymous
// virtual table when a statement first names it, and that takes more than statements may do later.
Result<SqlTable> SqlAuthorizer::LoadTable(sqlite3* db, const std::string& table) {
  const size_t dot = table.find('.');
  const std::string schema = dot == std::string::npos ? "" : table.substr(0, dot + 1);
  const std::string sql = StrCat("PRAGMA ", schema, "table_xinfo(", table.substr(schema.size()), ")");
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(db, sql.c_str(), -1, &statement, nullptr) != SQLITE_OK) return NoSession(sqlite3_errmsg(db));
  const auto text = [&](int column) {
    const unsigned char* const value = sqlite3_column_text(statement, column);
    return std::string(value == nullptr ? "" : reinterpret_cast<const char*>(value));
  };
  constexpr int kName = 1, kType = 2, kHidden = 6;
  SqlTable loaded{table, {}};
  int result = SQLITE_ROW;
  while ((result = sqlite3_step(statement)) == SQLITE_ROW) {
    columns_.push_back(text(kName));
    if (sqlite3_column_int64(statement, kHidden) == 0) loaded.columns.push_back({columns_.back(), text(kType)});
  }
  sqlite3_finalize(statement);
  if (result != SQLITE_DONE) return NoSession(sqlite3_errmsg(db));
  return loaded;
}

const std::vector<FeatureRow>& SqlAuthorizer::features() const {
  static const std::vector<FeatureRow> none;
  return features_ == nullptr ? none : *features_;
}

void SqlAuthorizer::KnowTables(const std::vector<std::string>& others) {
  known_tables_ = tables_;
  const auto after_registered = known_tables_.begin() + static_cast<ptrdiff_t>(registered_.size());
  known_tables_.insert(after_registered, others.begin(), others.end());
}

std::vector<std::string> SqlAuthorizer::Functions() { return {kFunctions.begin(), kFunctions.end()}; }

WorkLimits SqlAuthorizer::work_limits() {
  return {.may_continue = [this] { return MayContinue(); },
          .has_room = [this](uint64_t bytes) { return memory_.HasRoom(bytes); },
          .hold = [this](uint64_t before, uint64_t now) { return memory_.Hold(before, now); }};
}

void SqlAuthorizer::Watch(sqlite3* db, StatementMonitor& monitor) {
  monitor_ = &monitor;
  monitor.Watch(db);
}

void SqlAuthorizer::Forget(sqlite3* db, const StatementMonitor& monitor) {
  if (monitor_ != &monitor) return;
  monitor_ = nullptr;
  sqlite3_progress_handler(db, 0, nullptr, nullptr);
}

// Called by SQLite for each action of a statement while it is prepared.
int SqlAuthorizer::Authorize(void* authorizer, int action, const char* first, const char* second, const char* schema,
                             const char*) {
  auto* const self = static_cast<SqlAuthorizer*>(authorizer);
  if (!self->MayContinue()) return SQLITE_DENY;
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_RECURSIVE: return SQLITE_OK;
    case SQLITE_FUNCTION:
      return second != nullptr && std::any_of(kFunctions.begin(), kFunctions.end(),
                                              [&](std::string_view name) { return SameName(name, second); })
                 ? SQLITE_OK
                 : SQLITE_DENY;
    case SQLITE_READ: return self->AuthorizeRead(schema, first, second) ? SQLITE_OK : SQLITE_DENY;
    default: return SQLITE_DENY;
  }
}

bool SqlAuthorizer::AuthorizeRead(const char* schema, const char* table, const char* column) {
  if (table == nullptr || !MayRead(schema, table, column)) return false;
  if (column == nullptr || *column == '\0' || !SameName(kRecords, table)) return true;
  columns_read_[TableName(schema == nullptr ? "" : schema, kRecords)].emplace(column);
  return true;
}

// If there is no column, `table` may also be the name of a subquery in the statement.
bool SqlAuthorizer::MayRead(const char* schema, const char* table, const char* column) const {
  const bool plain = schema == nullptr || SameName("main", schema) || SameName("temp", schema);
  const std::string full = TableName(plain ? "" : schema, table);
  const bool known = std::any_of(tables_.begin(), tables_.end(),
                                 [&](const std::string& name) { return SameName(name, full.c_str()); });
  if (known) return true;
  const bool reserved = sqlite3_strnicmp(table, "sqlite_", 7) == 0 || sqlite3_strnicmp(table, "pragma_", 7) == 0;
  return (column == nullptr || *column == '\0') && !reserved;
}

}  // namespace ofindex
