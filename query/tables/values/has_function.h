#pragma once

#include "base/result.h"

struct sqlite3;
struct sqlite3_context;
struct sqlite3_value;

namespace ofindex {

/// The error of has(). SQLite has no place for a hint.
inline constexpr char kNoList[] = "has(list, value): expected a list as the first argument";

/// Implements the SQL function has(list, value), for lists that are JSON text: 1 if the list contains the value, 0 if
/// not, NULL if either is NULL. An element that is a number is compared with the value as a column of type NUMERIC
/// would be, an element that is text as a column of type TEXT would be.
void Has(sqlite3_context* context, int count, sqlite3_value** values);

/// Registers Has() on `db`. Errors: kLimit if SQLite has no memory.
[[nodiscard]] Result<void> RegisterHas(sqlite3* db);

}  // namespace ofindex
