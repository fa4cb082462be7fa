#include "query/sql/sql_session.h"

#include <sqlite3.h>

#include <algorithm>

#include "base/nearest_names.h"
#include "base/text.h"
#include "query/columns/column_affinity.h"
#include "query/columns/column_store.h"
#include "query/sql/sql_authorizer.h"
#include "query/sql/sql_error.h"
#include "query/sql/statements/sql_tokens.h"
#include "query/sql/statements/statement_text.h"

namespace ofindex {
namespace {

tl::unexpected<Error> Wrong(std::string message, Hint hint) {
  return Fail(ErrorCode::kUsage, StrCat("SQL: ", message), std::move(hint));
}

// Returns the name of a parameter in SqlParameter.
std::string NameOf(sqlite3_stmt* statement, int index) {
  const char* const name = sqlite3_bind_parameter_name(statement, index);
  if (name == nullptr) return std::to_string(index);
  return name + 1;  // after the ?, :, @ or $
}

int BindOne(sqlite3_stmt* statement, int index, const ColumnValue& value) {
  const char* const bytes = value.bytes.data();
  switch (value.type) {
    case ColumnValue::Type::kNull: return sqlite3_bind_null(statement, index);
    case ColumnValue::Type::kInteger: return sqlite3_bind_int64(statement, index, value.integer);
    case ColumnValue::Type::kReal: return sqlite3_bind_double(statement, index, value.real);
    case ColumnValue::Type::kText:
      return sqlite3_bind_text64(statement, index, bytes, value.bytes.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
    case ColumnValue::Type::kBlob:
      return sqlite3_bind_blob64(statement, index, bytes, value.bytes.size(), SQLITE_TRANSIENT);
  }
  return SQLITE_MISUSE;
}

// Adds the columns that `tokens` name after USING, of which SQLite does not tell the authorizer.
void AddColumnsAfterUsing(const std::vector<SqlToken>& tokens, const std::vector<SqlSession::Index>& indexes,
                          ColumnsRead& read) {
  const auto names = [&](std::string_view name) {
    return std::any_of(tokens.begin(), tokens.end(),
                       [&](const SqlToken& one) { return IsSqlName(one) && Folded(one.text) == Folded(name); });
  };
  constexpr std::string_view kRecordsTable[] = {"records"};
  const bool reads_first = !UnqualifiedTables(tokens, kRecordsTable).empty();
  for (const std::string& name : NamesAfterUsing(tokens)) {
    for (const SqlSession::Index& index : indexes) {
      const size_t dot = index.records.find('.');
      const bool is_named = dot != std::string::npos && names(index.records.substr(0, dot));
      if (!is_named && !(reads_first && &index == &indexes.front())) continue;
      for (const Column& column : index.columns->columns()) {
        if (Folded(column.name) == name) read[index.records].insert(column.name);
      }
    }
  }
}

}  // namespace

SqlRows::SqlRows(sqlite3_stmt* statement, SqlAuthorizer& authorizer, std::unique_ptr<StatementMonitor> monitor,
                 std::optional<uint64_t> max_rows)
    : statement_(statement), authorizer_(&authorizer), monitor_(std::move(monitor)), rows_left_(max_rows) {
  for (int i = 0; i < sqlite3_column_count(statement); ++i) {
    const char* const name = sqlite3_column_name(statement, i);  // null if out of memory
    columns_.emplace_back(name == nullptr ? "" : name);
    const char* const type = sqlite3_column_decltype(statement, i);  // null for everything but a column
    holds_floats_.push_back(type != nullptr && type == kFloatType);
  }
}

SqlRows::SqlRows(SqlRows&& other) noexcept
    : statement_(std::exchange(other.statement_, nullptr)),
      authorizer_(other.authorizer_),
      monitor_(std::move(other.monitor_)),
      columns_(std::move(other.columns_)),
      holds_floats_(std::move(other.holds_floats_)),
      rows_left_(other.rows_left_),
      truncated_(other.truncated_) {}

SqlRows& SqlRows::operator=(SqlRows&& other) noexcept {
  std::swap(statement_, other.statement_);
  std::swap(authorizer_, other.authorizer_);
  std::swap(monitor_, other.monitor_);
  std::swap(columns_, other.columns_);
  std::swap(holds_floats_, other.holds_floats_);
  std::swap(rows_left_, other.rows_left_);
  std::swap(truncated_, other.truncated_);
  return *this;
}

void SqlRows::Rename(std::string_view mark, const std::vector<std::optional<std::string>>& names) {
  for (size_t i = 0; i < std::min(columns_.size(), names.size()); ++i) {
    if (names[i] && columns_[i].find(mark) != std::string::npos) columns_[i] = *names[i];
  }
}

SqlRows::~SqlRows() {
  if (statement_ == nullptr) return;
  const SqlMemory::Counting counting(authorizer_->memory());
  authorizer_->Forget(sqlite3_db_handle(statement_), *monitor_);
  sqlite3_finalize(statement_);
}

Result<void> SqlRows::Bind(const std::vector<SqlParameter>& parameters) {
  std::vector<bool> used(parameters.size(), false);
  std::vector<std::string> wanted;
  for (int index = 1; index <= sqlite3_bind_parameter_count(statement_); ++index) {
    wanted.push_back(NameOf(statement_, index));
    const auto given = std::find_if(parameters.begin(), parameters.end(),
                                    [&](const SqlParameter& parameter) { return parameter.name == wanted.back(); });
    if (given == parameters.end()) {
      return Wrong(StrCat("parameter ", Printable(wanted.back()), " has no value"), "give it one: `-p NAME=VALUE`");
    }
    used[static_cast<size_t>(given - parameters.begin())] = true;
    if (BindOne(statement_, index, given->value) != SQLITE_OK) {
      if (!monitor_->MayContinue()) return tl::unexpected(*monitor_->reason());
      return tl::unexpected(SqlError(sqlite3_db_handle(statement_), *authorizer_, {}));
    }
  }
  for (size_t i = 0; i < used.size(); ++i) used[i] = used[i] || !parameters[i].required;
  const auto unused = std::find(used.begin(), used.end(), false);
  if (unused == used.end()) return {};
  std::string names;
  for (const std::string& name : wanted) names += StrCat(names.empty() ? "" : ", ", Printable(name));
  return Wrong(
      StrCat("the statement has no parameter ", Printable(parameters[static_cast<size_t>(unused - used.begin())].name),
             ", or it was given twice"),
      names.empty() ? std::string("it has no parameters") : StrCat("it has ", names));
}

Result<bool> SqlRows::Next() {
  const SqlMemory::Counting counting(authorizer_->memory());
  authorizer_->Watch(sqlite3_db_handle(statement_), *monitor_);
  const int result = monitor_->MayContinue() ? sqlite3_step(statement_) : SQLITE_INTERRUPT;
  if (result != SQLITE_ROW && result != SQLITE_DONE) {
    if (!monitor_->MayContinue()) return tl::unexpected(*monitor_->reason());
    return tl::unexpected(SqlError(sqlite3_db_handle(statement_), *authorizer_, {}));
  }
  if (result == SQLITE_DONE) return false;
  OFINDEX_TRY(CheckBlobs());
  if (rows_left_ && *rows_left_ == 0) {
    truncated_ = true;
    return false;
  }
  if (rows_left_) --*rows_left_;
  return true;
}

// A blob of zeros gets its bytes only now, and SQLite may be refused the memory: no value must then look empty.
Result<void> SqlRows::CheckBlobs() const {
  for (int i = 0; i < static_cast<int>(columns_.size()); ++i) {
    if (sqlite3_column_type(statement_, i) != SQLITE_BLOB || sqlite3_column_blob(statement_, i) != nullptr) continue;
    if (sqlite3_column_bytes(statement_, i) == 0) continue;
    if (!monitor_->MayContinue()) return tl::unexpected(*monitor_->reason());
    return tl::unexpected(SqlError(sqlite3_db_handle(statement_), *authorizer_, {}));
  }
  return {};
}

SqlValue SqlRows::At(size_t column) const {
  const SqlMemory::Counting counting(authorizer_->memory());
  const int i = static_cast<int>(column);
  const auto bytes = [&] {
    const auto* data = static_cast<const uint8_t*>(sqlite3_column_blob(statement_, i));
    return data == nullptr ? ByteView() : ByteView(data, static_cast<size_t>(sqlite3_column_bytes(statement_, i)));
  };
  switch (sqlite3_column_type(statement_, i)) {
    case SQLITE_INTEGER: return {.type = ColumnValue::Type::kInteger, .integer = sqlite3_column_int64(statement_, i)};
    case SQLITE_FLOAT: return {.type = ColumnValue::Type::kReal, .real = sqlite3_column_double(statement_, i)};
    case SQLITE_TEXT: return {.type = ColumnValue::Type::kText, .bytes = bytes()};
    case SQLITE_BLOB: return {.type = ColumnValue::Type::kBlob, .bytes = bytes()};
    default: return {};
  }
}

SqlSession::SqlSession(sqlite3* db, std::unique_ptr<SqlAuthorizer> authorizer)
    : db_(db), authorizer_(std::move(authorizer)) {}

SqlSession::SqlSession(SqlSession&& other) noexcept
    : db_(std::exchange(other.db_, nullptr)),
      authorizer_(std::move(other.authorizer_)),
      indexes_(std::move(other.indexes_)),
      ask_first_(std::move(other.ask_first_)) {}

SqlSession& SqlSession::operator=(SqlSession&& other) noexcept {
  std::swap(db_, other.db_);
  std::swap(authorizer_, other.authorizer_);
  std::swap(indexes_, other.indexes_);
  std::swap(ask_first_, other.ask_first_);
  return *this;
}

SqlSession::~SqlSession() {
  if (db_ == nullptr) return;
  const SqlMemory::Counting counting(authorizer_->memory());
  sqlite3_close(db_);
}

void SqlSession::KnowIndexes(std::vector<Index> indexes) {
  indexes_ = std::move(indexes);
  if (indexes_.empty()) return;
  const std::shared_ptr<const ColumnStore>& first = indexes_.front().columns;
  authorizer_->set_features({first, &first->features()});
}

void SqlSession::KnowTables(const std::vector<std::string>& others) { authorizer_->KnowTables(others); }

const std::vector<SqlTable>& SqlSession::tables() const { return authorizer_->registered(); }

const ColumnsRead& SqlSession::columns_read() const { return authorizer_->columns_read(); }

Result<ColumnsRead> SqlSession::ColumnsReadBy(std::string_view sql) {
  const SqlMemory::Counting counting(authorizer_->memory());
  StatementMonitor monitor({}, authorizer_->memory());
  authorizer_->ForgetColumns();
  OFINDEX_ASSIGN(sqlite3_stmt* const statement, Prepare(sql, monitor, 0));
  sqlite3_finalize(statement);
  authorizer_->Forget(db_, monitor);
  ColumnsRead read = authorizer_->columns_read();
  AddColumnsAfterUsing(TokensOf(sql), indexes_, read);
  return read;
}

bool SqlSession::idle() const { return sqlite3_next_stmt(db_, nullptr) == nullptr; }

Result<SqlSession> SqlSession::Open(const AddTables& add, std::vector<std::string> tables, uint64_t memory_bytes) {
  auto authorizer = std::make_unique<SqlAuthorizer>(std::move(tables));
  const SqlMemory::Counting counting(authorizer->memory());
  OFINDEX_ASSIGN(sqlite3* const db, SqlAuthorizer::OpenEmpty());
  SqlSession session(db, std::move(authorizer));
  session.authorizer_->memory().Bound(memory_bytes);
  OFINDEX_TRY(add(db, session.authorizer_->work_limits()));
  OFINDEX_TRY(session.authorizer_->LockDown(db));
  return session;
}

Result<SqlRows> SqlSession::Query(std::string_view sql, const std::vector<SqlParameter>& parameters,
                                  const SqlLimits& given, size_t written_from) {
  SqlLimits limits = given;
  if (!limits.begin) limits.begin = std::chrono::steady_clock::now();
  if (ask_first_) {
    OFINDEX_ASSIGN(std::optional<SqlRows> rows, ask_first_(sql, parameters, limits));
    if (rows) return *std::move(rows);
  }
  const SqlMemory::Counting counting(authorizer_->memory());
  auto monitor = std::make_unique<StatementMonitor>(limits, authorizer_->memory());
  OFINDEX_ASSIGN(sqlite3_stmt* const statement, Prepare(sql, *monitor, written_from));
  SqlRows rows(statement, *authorizer_, std::move(monitor), limits.rows);
  OFINDEX_TRY(rows.Bind(parameters));
  return rows;
}

// Accepts a single statement that returns rows and changes nothing.
Result<sqlite3_stmt*> SqlSession::Prepare(std::string_view sql, StatementMonitor& monitor, size_t written_from) {
  const size_t begin = SkipBlank(sql, 0);
  if (begin == sql.size()) return Wrong("there is no statement", "write one, such as `SELECT * FROM shards`");
  if (sql.find('\0') != std::string_view::npos) {
    return Wrong(StrCat("a NUL byte at ", Shown(sql.find('\0'), written_from), " of the statement"),
                 "pass such values as parameters");
  }
  const auto limit = static_cast<size_t>(sqlite3_limit(db_, SQLITE_LIMIT_SQL_LENGTH, -1));
  if (sql.size() > limit) {
    return Fail(ErrorCode::kLimit,
                StrCat("SQL: the statement is too long; expected at most ", FormatCount(limit), " bytes"),
                "split it, or pass long values as parameters");
  }
  authorizer_->Watch(db_, monitor);
  sqlite3_stmt* statement = nullptr;
  const char* tail = nullptr;
  const int result =
      sqlite3_prepare_v2(db_, sql.data() + begin, static_cast<int>(sql.size() - begin), &statement, &tail);
  Result<sqlite3_stmt*> outcome = statement;
  if (result != SQLITE_OK) {
    outcome = tl::unexpected(!monitor.MayContinue() ? *monitor.reason()
                                                    : SqlError(db_, *authorizer_, {sql, begin, written_from}));
  } else if (const size_t second = SkipBlank(sql, static_cast<size_t>(tail - sql.data())); second < sql.size()) {
    outcome = Wrong(StrCat("a second statement begins at byte ", Shown(second, written_from)),
                    "give one statement at a time");
  } else if (sqlite3_stmt_readonly(statement) == 0 || sqlite3_column_count(statement) == 0) {
    outcome = Wrong("refused: the statement returns no rows", "write a SELECT");
  }
  if (!outcome) {
    sqlite3_finalize(statement);
    authorizer_->Forget(db_, monitor);
  }
  return outcome;
}

}  // namespace ofindex
