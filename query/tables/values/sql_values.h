#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "base/allocation.h"
#include "base/result.h"
#include "index/chunks/chunk.h"
#include "index/columns/column.h"
#include "query/columns/column_affinity.h"

struct sqlite3_context;
struct sqlite3_index_info;
struct sqlite3_value;
struct sqlite3_vtab;

namespace ofindex {

// Conversions of values and errors between the engine and SQLite.

/// Returns a copy of `value`.
[[nodiscard]] ColumnValue ValueOf(sqlite3_value* value);

/// Returns a copy of `value`, converted as a comparison with a column of `affinity` converts it. Errors: kLimit if
/// SQLite has no memory.
[[nodiscard]] Result<ColumnValue> ValueOf(sqlite3_value* value, Affinity affinity);

/// Returns the values that a list's element may equal, ascending: `value` as a number, if it is one, and as bytes; none
/// for NULL. Errors: kLimit if SQLite has no memory.
[[nodiscard]] Result<std::vector<ColumnValue>> ElementsOf(sqlite3_value* value);

/// The meaning of a constraint with the operator `=`.
enum class InKind {
  kNone,   ///< a comparison with one value
  kIn,     ///< an IN
  kMaybe,  ///< either: SQLite reports it for the first 32 constraints only
};

/// Returns the kind of constraint `i`, in xBestIndex. If the table handles an IN, xFilter gets all its values at once.
[[nodiscard]] InKind InOf(sqlite3_index_info* info, int i);

/// Calls `take` with each value of an IN that xFilter was given. Errors: those of `take`; kLimit if SQLite has no
/// memory.
[[nodiscard]] Result<void> ForEachIn(sqlite3_value* list, const std::function<Result<void>(sqlite3_value*)>& take);

/// Returns a view of `value`, valid as long as SQLite's value.
[[nodiscard]] Chunk::Value ViewOf(sqlite3_value* value);

/// Returns a copy of `value` to SQLite, as the result of a function or of a column.
void PutResult(sqlite3_context* context, const Chunk::Value& value);

/// Returns the SQLite result code for `error` (query/tables/tables.h).
[[nodiscard]] int CodeOf(const Error& error);

/// Sets the error text of `table` to that of `error`, and returns its code.
[[nodiscard]] int Report(sqlite3_vtab* table, const Error& error);

/// Runs `body`, which returns Result<void>: an error becomes that of `table`, and nothing is thrown through SQLite.
template <typename Body>
[[nodiscard]] int Guarded(sqlite3_vtab* table, Body&& body) {
  const Result<void> result = WithMemory("a query", std::forward<Body>(body));
  return result ? 0 /* SQLITE_OK */ : Report(table, result.error());
}

}  // namespace ofindex
