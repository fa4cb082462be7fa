#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/result.h"
#include "index/columns/column.h"
#include "index/database/index_file.h"

struct sqlite3;
struct sqlite3_stmt;

namespace ofindex::sqlite {

class Database;

/// What reading one stranger's file may cost. Pages of a hostile file can lead in circles, so that its tables seem to
/// have rows without end: an honest one holds each row once, and all that is read of it is a few times its size.
struct ReadBudget {
  uint64_t bytes = 0;       ///< of rows that may still be read
  uint64_t operations = 0;  ///< of SQLite's machine that may still be run
};

/// A prepared statement. Moves, does not copy; not thread-safe; must not outlive its database.
///
///   OFINDEX_ASSIGN(Statement insert, database.Prepare("INSERT INTO t VALUES (?, ?)"));
///   OFINDEX_TRY(insert.Run(1, "one"));
class Statement {
 public:
  Statement(Statement&& other) noexcept;
  Statement& operator=(Statement&& other) noexcept;
  ~Statement();

  /// Binds all parameters, runs to the end, and is ready for the next run. For statements that give no rows.
  template <typename... Args>
  [[nodiscard]] Result<void> Run(const Args&... args) {
    OFINDEX_TRY(Bind(args...));
    return Finish();
  }

  /// Binds all parameters, from the first on. Texts and blobs must live until the next step is done.
  template <typename... Args>
  [[nodiscard]] Result<void> Bind(const Args&... args) {
    Reset();
    int index = 0;
    bool sound = true;
    ((sound = BindOne(++index, args) && sound), ...);
    return sound ? Result<void>() : LastError();
  }

  /// Steps to the next row. Returns false after the last.
  [[nodiscard]] Result<bool> Next();

  // Columns of the row that Next came to, from 0. Views are valid until the next step.
  [[nodiscard]] int64_t Int(int column) const;
  [[nodiscard]] uint64_t Unsigned(int column) const { return static_cast<uint64_t>(Int(column)); }
  [[nodiscard]] std::optional<uint64_t> UnsignedOrNull(int column) const;
  [[nodiscard]] std::string_view Text(int column) const;
  [[nodiscard]] ByteView Blob(int column) const;
  [[nodiscard]] double Real(int column) const;
  [[nodiscard]] ColumnValue Value(int column) const;
  [[nodiscard]] ColumnValue::Type Type(int column) const;
  [[nodiscard]] int columns() const;

 private:
  friend class Database;
  Statement(sqlite3_stmt* statement, ReadBudget* budget) : statement_(statement), budget_(budget) {}

  template <std::integral T>
  bool BindOne(int index, T value) {
    return BindInt(index, static_cast<int64_t>(value));
  }
  bool BindOne(int index, std::string_view text);
  bool BindOne(int index, ByteView blob);
  bool BindOne(int index, const std::optional<ByteView>& blob) {
    return blob ? BindOne(index, *blob) : BindNull(index);
  }
  bool BindOne(int index, const std::optional<uint64_t>& number) {
    return number ? BindOne(index, *number) : BindNull(index);
  }
  bool BindOne(int index, const ColumnValue& value);
  bool BindInt(int index, int64_t value);
  bool BindNull(int index);
  void Reset();
  [[nodiscard]] Result<void> Finish();
  [[nodiscard]] Result<void> LastError() const;
  [[nodiscard]] bool Spend();

  sqlite3_stmt* statement_;
  ReadBudget* budget_;  // the database's; null where the file is our own
};

/// A connection to one SQLite file: the only code that opens one. Moves, does not copy; not thread-safe, and must not
/// cross a fork.
class Database {
 public:
  /// Opens `path` for filling it with one build: an empty file, no link, that nobody else looks at, guarded by the
  /// builder's own lock. No journal and no syncs, since a build that fails is thrown away whole; the publisher syncs.
  [[nodiscard]] static Result<Database> OpenDraft(const std::string& path, int page_bytes);

  /// Reads `index`, the file that is held open, as one that is never written in place: no locks, no journal, read-only
  /// media welcome; if it is rewritten all the same, whatever is read of it after that is kStale. The file is
  /// untrusted: views, triggers, extensions, functions with side effects and memory maps are off, and what is read of
  /// it in all is bounded by its size. Errors: kIndex  not an SQLite file, or damaged; kStale.
  [[nodiscard]] static Result<Database> OpenImmutable(const std::shared_ptr<const IndexFile>& index);

  Database(Database&& other) noexcept;
  Database& operator=(Database&& other) noexcept;
  ~Database();

  [[nodiscard]] Result<Statement> Prepare(std::string_view sql);

  /// Lets as much be read of a file that is only read as at first: for those who keep it open, and ask for one thing
  /// after the other, each of which is bounded.
  void RenewBudget();

  /// Runs statements without parameters or rows.
  [[nodiscard]] Result<void> Execute(const char* sql);

  /// Closes, so that what was written is in the file. Errors: kIo.
  [[nodiscard]] Result<void> Close();

 private:
  explicit Database(sqlite3* handle, std::string path) : handle_(handle), path_(std::move(path)) {}

  sqlite3* handle_;
  std::string path_;
  std::unique_ptr<ReadBudget> budget_;  // of a file that is only read
  ReadBudget whole_budget_;             // what it was at first
};

}  // namespace ofindex::sqlite
