#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <ofindex/api.h>
#include <ofindex/bytes.h>
#include <ofindex/dataset.h>
#include <ofindex/result.h>

namespace ofindex::v1 {

/// A value of SQL: NULL, INTEGER, REAL, TEXT or BLOB. Owns its bytes.
using SqlValue = std::variant<std::monostate, int64_t, double, std::string, std::vector<uint8_t>>;

/// A value for a parameter of a statement: `name` is "label" for `:label`, `@label` and `$label`, and "1" for `?1` and
/// the first `?`.
struct SqlParameter {
  std::string name;
  SqlValue value;
};

/// The limits of one statement. A statement that reaches a limit ends with kLimit, except for the limit on rows, which
/// only leaves out further rows.
struct QueryLimits {
  std::optional<std::chrono::nanoseconds> timeout = {};  ///< from the start of the statement
  std::optional<uint64_t> rows = {};                     ///< maximum rows of an SQL statement; Where ignores it
  uint64_t memory_bytes = uint64_t{1} << 30;             ///< maximum memory that SQLite may use
  /// If some thread or signal handler sets it, the statement ends with kInterrupted. Must outlive the statement.
  const std::atomic<bool>* cancel = nullptr;
};

/// Records of a dataset, numbered from 0 in ascending order of their ordinals. A handle: copies share one set, which
/// takes at most 1.03 bits per record of the dataset, and a move is a copy. Immutable and thread-safe; usable after
/// fork.
class OFINDEX_API Selection {
 public:
  Selection();  ///< no records
  Selection(const Selection&);
  Selection& operator=(const Selection&);
  ~Selection();

  /// Returns the selection of all ordinals in [begin, end); `end` is at most 2^48.
  [[nodiscard]] static Selection Range(uint64_t begin, uint64_t end);

  [[nodiscard]] uint64_t size() const;

  /// Returns the ordinal of record `i`, which is less than size().
  [[nodiscard]] uint64_t operator[](uint64_t i) const;

  [[nodiscard]] bool Contains(uint64_t ordinal) const;

  /// Returns the records numbered [begin, end); both are clamped to size().
  [[nodiscard]] Selection Slice(uint64_t begin, uint64_t end) const;

  /// Returns the ordinals, ascending.
  [[nodiscard]] std::vector<uint64_t> Ordinals() const;

 private:
  friend struct Internals;
  struct OFINDEX_INTERNAL State;
  OFINDEX_INTERNAL explicit Selection(std::shared_ptr<const State> state);
  std::shared_ptr<const State> state_;
};

/// Returns the records for which `expression` holds: any SQL that may follow WHERE in a query on `records`
/// (docs/sql.md). The expression may be untrusted. Runs on all processors; thread-safe, and usable after fork.
///
/// Errors: kUsage if the expression is wrong or refused, or if the parameters do not match it; kLimit if time or memory
/// ran out; kInterrupted if the query was cancelled; kIndex if the index is damaged; kIo if it cannot be read; kStale
/// if it was rewritten in place.
[[nodiscard]] OFINDEX_API Result<Selection> Where(const Dataset& dataset, std::string_view expression,
                                                  const std::vector<SqlParameter>& parameters = {},
                                                  const QueryLimits& limits = {});

/// The rows of one statement, in order. Keeps its session alive. Movable, not copyable; not thread-safe. A moved-from
/// object has no columns, and Next returns kUsage.
class OFINDEX_API SqlRows {
 public:
  SqlRows(SqlRows&& other) noexcept;
  SqlRows& operator=(SqlRows&& other) noexcept;
  ~SqlRows();

  /// Names of the columns; duplicates are possible.
  [[nodiscard]] const std::vector<std::string>& columns() const;

  /// Steps to the next row. Returns false after the last row, and when the row limit is reached; see truncated().
  /// Errors: kUsage if the statement fails on the values of the row (integer overflow, malformed JSON); kLimit if time
  /// or memory ran out, or a value is too large; kInterrupted if the statement was cancelled; kIndex if the index is
  /// damaged; kIo if it cannot be read.
  [[nodiscard]] Result<bool> Next();

  /// Returns the value in column `column` of the row that Next stepped to; `column` is less than columns().size().
  [[nodiscard]] SqlValue At(size_t column) const;

  /// Returns true if Next returned false although there were more rows.
  [[nodiscard]] bool truncated() const;

 private:
  friend class SqlSession;
  struct OFINDEX_INTERNAL State;
  OFINDEX_INTERNAL explicit SqlRows(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// A connection for queries on one dataset, which may be untrusted: a statement reads the tables `records`, `shards`,
/// `features`, `bad` and `damage`, and nothing else. A handle: copies share the connection, and a move is a copy.
/// Neither the session nor its rows are thread-safe, and neither may be used across a fork.
class OFINDEX_API SqlSession {
 public:
  /// Errors: kIndex, kIo; kStale if the index was rewritten in place.
  [[nodiscard]] static Result<SqlSession> Open(const Dataset& dataset);

  SqlSession(const SqlSession&);
  SqlSession& operator=(const SqlSession&);
  ~SqlSession();

  /// Runs one SELECT, VALUES or EXPLAIN. Each parameter of the statement must have a value in `parameters`, which may
  /// hold no others. Errors: kUsage if the statement is wrong or refused, if there is more than one, or if the
  /// parameters do not match it; kLimit if the statement is too long or too complex; those of SqlRows::Next.
  [[nodiscard]] Result<SqlRows> Query(std::string_view sql, const std::vector<SqlParameter>& parameters = {},
                                      const QueryLimits& limits = {}) const;

 private:
  struct OFINDEX_INTERNAL State;
  OFINDEX_INTERNAL explicit SqlSession(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;
};

}  // namespace ofindex::v1
