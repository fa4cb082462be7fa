#include "index/database/sqlite.h"

#include <sqlite3.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/text.h"
#include "index/database/sqlite_file.h"
#include "index/database/vacuum_files.h"

namespace ofindex::sqlite {
namespace {

// A valid file costs far less: each table is read a few times, at one or two operations per byte.
constexpr uint64_t kReadings = 16;
constexpr uint64_t kOperationsPerByte = 64;
constexpr uint64_t kMinOperations = 1'000'000;
constexpr uint64_t kBytesPerRow = 16;  // overhead of a row in addition to its texts and blobs
constexpr int kOperationsPerCall = 10'000;

constexpr char kRebuildHint[] = "rebuild the index with `ofindex build --force`";

// A full disk or a failed read is a system error; our statements are fixed, so any other failure is the file's fault.
ErrorCode CodeOf(int result) {
  switch (result & 0xff) {
    case SQLITE_IOERR:
    case SQLITE_FULL:
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
    case SQLITE_PERM: return ErrorCode::kIo;
    case SQLITE_NOMEM:
    case SQLITE_TOOBIG: return ErrorCode::kLimit;
    default: return ErrorCode::kIndex;
  }
}

// Returns the errno that SQLite stands for; 0 if it may be one of several.
int ErrnoOf(int result) {
  switch (result & 0xff) {
    case SQLITE_IOERR: return EIO;
    case SQLITE_FULL: return ENOSPC;
    default: return 0;
  }
}

tl::unexpected<Error> ErrorOf(sqlite3* handle) {
  const char* const file = sqlite3_db_filename(handle, "main");
  const int result = sqlite3_extended_errcode(handle);
  if (result == SQLITE_IOERR_DATA) return ReplacedIndex(file == nullptr ? "index" : file);
  const ErrorCode code = CodeOf(result);
  return tl::unexpected<Error>(Error{.code = code,
                                     .message = StrCat(Printable(file == nullptr ? "index" : file),
                                                       ": SQLite: ", sqlite3_errmsg(handle), " (", result, ")"),
                                     .hint = code == ErrorCode::kIndex ? Hint(kRebuildHint) : Hint(),
                                     .system = ErrnoOf(result)});
}

// Returns the error for a database that was not opened. There is no handle if memory ran out.
tl::unexpected<Error> OpenError(sqlite3* handle, const std::string& path, int opened) {
  if (handle != nullptr) return ErrorOf(handle);
  return Fail(CodeOf(opened), StrCat(Printable(path), ": SQLite: ", sqlite3_errstr(opened)),
              "run it where more memory is free");
}

// Called by SQLite after every kOperationsPerCall operations; a nonzero result ends the statement.
int SpendOperations(void* data) {
  auto* const budget = static_cast<ReadBudget*>(data);
  if (budget->operations < kOperationsPerCall) return 1;
  budget->operations -= kOperationsPerCall;
  return 0;
}

}  // namespace

Statement::Statement(Statement&& other) noexcept
    : statement_(std::exchange(other.statement_, nullptr)), budget_(other.budget_) {}

Statement& Statement::operator=(Statement&& other) noexcept {
  std::swap(statement_, other.statement_);
  std::swap(budget_, other.budget_);
  return *this;
}

Statement::~Statement() { sqlite3_finalize(statement_); }

bool Statement::BindInt(int index, int64_t value) { return sqlite3_bind_int64(statement_, index, value) == SQLITE_OK; }
bool Statement::BindNull(int index) { return sqlite3_bind_null(statement_, index) == SQLITE_OK; }

bool Statement::BindOne(int index, std::string_view text) {
  const char* const data = text.data() == nullptr ? "" : text.data();
  return sqlite3_bind_text64(statement_, index, data, text.size(), SQLITE_STATIC, SQLITE_UTF8) == SQLITE_OK;
}

bool Statement::BindOne(int index, ByteView blob) {
  const void* const data = blob.data() == nullptr ? "" : static_cast<const void*>(blob.data());
  return sqlite3_bind_blob64(statement_, index, data, blob.size(), SQLITE_STATIC) == SQLITE_OK;
}

bool Statement::BindOne(int index, const ColumnValue& value) {
  switch (value.type) {
    case ColumnValue::Type::kNull: return BindNull(index);
    case ColumnValue::Type::kInteger: return BindInt(index, value.integer);
    case ColumnValue::Type::kReal: return sqlite3_bind_double(statement_, index, value.real) == SQLITE_OK;
    case ColumnValue::Type::kText: return BindOne(index, std::string_view(value.bytes));
    case ColumnValue::Type::kBlob: return BindOne(index, AsBytes(value.bytes));
  }
  return false;
}

void Statement::Reset() { sqlite3_reset(statement_); }

Result<bool> Statement::Next() {
  const int result = sqlite3_step(statement_);
  if (result == SQLITE_DONE) return false;
  if (result != SQLITE_ROW) return ErrorOf(sqlite3_db_handle(statement_));
  if (Spend()) return true;
  return Fail(ErrorCode::kIndex,
              StrCat(Printable(sqlite3_db_filename(sqlite3_db_handle(statement_), "main")),
                     ": the index is damaged: a table has more rows than the file can hold"),
              kRebuildHint);
}

// Charges the current row to the budget.
bool Statement::Spend() {
  if (budget_ == nullptr) return true;
  uint64_t cost = kBytesPerRow;
  for (int column = 0; column < sqlite3_column_count(statement_); ++column) {
    const int type = sqlite3_column_type(statement_, column);
    if (type == SQLITE_TEXT || type == SQLITE_BLOB)
      cost += static_cast<uint64_t>(sqlite3_column_bytes(statement_, column));
  }
  if (cost > budget_->bytes) return false;
  budget_->bytes -= cost;
  return true;
}

Result<void> Statement::Finish() {
  const int result = sqlite3_step(statement_);
  if (result != SQLITE_DONE) return LastError();
  Reset();
  return {};
}

Result<void> Statement::LastError() const { return ErrorOf(sqlite3_db_handle(statement_)); }

std::optional<uint64_t> Statement::UnsignedOrNull(int column) const {
  if (sqlite3_column_type(statement_, column) == SQLITE_NULL) return std::nullopt;
  return Unsigned(column);
}

int64_t Statement::Int(int column) const { return sqlite3_column_int64(statement_, column); }

std::string_view Statement::Text(int column) const {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  if (text == nullptr) return {};
  return {text, static_cast<size_t>(sqlite3_column_bytes(statement_, column))};
}

ByteView Statement::Blob(int column) const {
  const auto* bytes = static_cast<const uint8_t*>(sqlite3_column_blob(statement_, column));
  if (bytes == nullptr) return {};
  return {bytes, static_cast<size_t>(sqlite3_column_bytes(statement_, column))};
}

double Statement::Real(int column) const { return sqlite3_column_double(statement_, column); }
int Statement::columns() const { return sqlite3_column_count(statement_); }

ColumnValue::Type Statement::Type(int column) const {
  switch (sqlite3_column_type(statement_, column)) {
    case SQLITE_INTEGER: return ColumnValue::Type::kInteger;
    case SQLITE_FLOAT: return ColumnValue::Type::kReal;
    case SQLITE_TEXT: return ColumnValue::Type::kText;
    case SQLITE_BLOB: return ColumnValue::Type::kBlob;
    default: return ColumnValue::Type::kNull;
  }
}

ColumnValue Statement::Value(int column) const {
  ColumnValue value{.type = Type(column)};
  switch (value.type) {
    case ColumnValue::Type::kNull: break;
    case ColumnValue::Type::kInteger: value.integer = Int(column); break;
    case ColumnValue::Type::kReal: value.real = Real(column); break;
    case ColumnValue::Type::kText: value.bytes = Text(column); break;
    case ColumnValue::Type::kBlob: value.bytes = AsText(Blob(column)); break;
  }
  return value;
}

Result<Database> Database::OpenForWriting(const std::string& path, int page_bytes) {
  // SQLite rejects links anywhere in the path, so the folder is resolved first.
  const std::filesystem::path name(path);
  std::error_code error;
  const std::filesystem::path folder =
      std::filesystem::canonical(name.has_parent_path() ? name.parent_path() : ".", error);
  if (error) return tl::unexpected(SystemError(path, "cannot open", error.value()));
  constexpr int kFlags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  if (FileSystemWithoutLocks() == nullptr) return Fail(ErrorCode::kLimit, "out of memory for SQLite's file system");
  sqlite3* handle = nullptr;
  const int opened = sqlite3_open_v2((folder / name.filename()).c_str(), &handle, kFlags, FileSystemWithoutLocks());
  Database database(handle, path);
  if (opened != SQLITE_OK) return OpenError(handle, path, opened);
  OFINDEX_TRY(
      database.Execute(StrCat("PRAGMA page_size = ", page_bytes,
                              "; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
                              "PRAGMA locking_mode = EXCLUSIVE; PRAGMA secure_delete = ON;"
                              "PRAGMA temp_store = MEMORY; PRAGMA encoding = 'UTF-8'; PRAGMA auto_vacuum = NONE")
                           .c_str()));
  return database;
}

Result<Database> Database::OpenImmutable(const std::shared_ptr<const IndexFile>& index) {
  sqlite3* handle = nullptr;
  const int opened = OpenHeldFile(index, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, &handle);
  Database database(handle, index->path());
  if (opened != SQLITE_OK) return OpenError(handle, index->path(), opened);
  database.whole_budget_ = {.bytes = kReadings * index->size(),
                            .operations = kMinOperations + kOperationsPerByte * index->size()};
  database.budget_ = std::make_unique<ReadBudget>(database.whole_budget_);
  sqlite3_progress_handler(handle, kOperationsPerCall, SpendOperations, database.budget_.get());
  for (const auto& [option, value] :
       {std::pair{SQLITE_DBCONFIG_DEFENSIVE, 1}, std::pair{SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
        std::pair{SQLITE_DBCONFIG_ENABLE_TRIGGER, 0}, std::pair{SQLITE_DBCONFIG_ENABLE_VIEW, 0}}) {
    sqlite3_db_config(handle, option, value, nullptr);
  }
  OFINDEX_TRY(database.Execute("PRAGMA query_only = 1; PRAGMA cell_size_check = 1; PRAGMA mmap_size = 0"));
  return database;
}

Database::Database(Database&& other) noexcept
    : handle_(std::exchange(other.handle_, nullptr)),
      path_(std::move(other.path_)),
      budget_(std::move(other.budget_)),
      whole_budget_(other.whole_budget_) {}

Database& Database::operator=(Database&& other) noexcept {
  std::swap(handle_, other.handle_);
  std::swap(path_, other.path_);
  std::swap(budget_, other.budget_);
  std::swap(whole_budget_, other.whole_budget_);
  return *this;
}

void Database::RenewBudget() {
  if (budget_) *budget_ = whole_budget_;
}

Database::~Database() { sqlite3_close_v2(handle_); }

Result<Statement> Database::Prepare(std::string_view sql) {
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(handle_, sql.data(), static_cast<int>(sql.size()), &statement, nullptr) != SQLITE_OK) {
    return ErrorOf(handle_);
  }
  return Statement(statement, budget_.get());
}

Result<void> Database::Execute(const char* sql) {
  if (sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr) != SQLITE_OK) return ErrorOf(handle_);
  return {};
}

Result<void> Database::Vacuum() {
  const VacuumFiles files(sqlite3_db_filename(handle_, "main"));
  return Execute("PRAGMA temp_store = FILE; VACUUM; PRAGMA temp_store = MEMORY");
}

Result<void> Database::Close() {
  if (sqlite3_close(handle_) != SQLITE_OK) return ErrorOf(handle_);
  handle_ = nullptr;
  return {};
}

}  // namespace ofindex::sqlite
