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

/// Limits on reading one untrusted file. Pages of a hostile file can form cycles, so that its tables seem to have
/// endless rows. A valid file holds each row once, so that all reading together takes at most a few times its size.
struct ReadBudget {
  uint64_t bytes = 0;       ///< bytes of rows that may still be read
  uint64_t operations = 0;  ///< steps of SQLite's virtual machine that may still be run
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

  /// Binds all parameters, runs to the end, and resets. For statements that return no rows.
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

  // Columns of the current row, from 0. Views are valid until the next step.
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
  ReadBudget* budget_;  // the database's; null for our own file
};

/// A connection to one SQLite file: the only code that opens one. Moves, does not copy; not thread-safe; must not cross
/// a fork.
class Database {
 public:
  /// Opens `path`, an empty file and not a link, to fill it with one build. Nobody else opens it: the builder's own
  /// lock protects it. Uses no journal and no syncs, since a failed build is discarded as a whole; AtomicFile::Publish
  /// syncs the file.
  [[nodiscard]] static Result<Database> OpenForWriting(const std::string& path, int page_bytes);

  /// Opens `index`, a file held open, for reading, assuming that it is never written in place: no locks, no journal,
  /// read-only media allowed. If it is rewritten anyway, all later reads are kStale. The file is untrusted: views,
  /// triggers, extensions, functions with side effects and memory maps are off, and the total read from it is bounded
  /// by its size. Errors: kIndex if the file is not an SQLite file, or is damaged; kStale.
  [[nodiscard]] static Result<Database> OpenImmutable(const std::shared_ptr<const IndexFile>& index);

  Database(Database&& other) noexcept;
  Database& operator=(Database&& other) noexcept;
  ~Database();

  [[nodiscard]] Result<Statement> Prepare(std::string_view sql);

  /// Restores the full read budget of a read-only file: for callers that keep it open and run one bounded task after
  /// another.
  void RenewBudget();

  /// Runs statements without parameters or rows.
  [[nodiscard]] Result<void> Execute(const char* sql);

  /// Writes the whole file again, without free pages, through a temporary file of the same size next to it. Errors:
  /// kIo.
  [[nodiscard]] Result<void> Vacuum();

  /// Closes the connection, so that all writes are in the file. Errors: kIo.
  [[nodiscard]] Result<void> Close();

 private:
  explicit Database(sqlite3* handle, std::string path) : handle_(handle), path_(std::move(path)) {}

  sqlite3* handle_;
  std::string path_;
  std::unique_ptr<ReadBudget> budget_;  // of a read-only file
  ReadBudget whole_budget_;             // its initial value
};

}  // namespace ofindex::sqlite
