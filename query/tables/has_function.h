#pragma once

#include "base/result.h"

struct sqlite3;
struct sqlite3_context;
struct sqlite3_value;

namespace ofindex {

/// The error of has(), in which SQLite takes no hint.
inline constexpr char kNoList[] = "has(list, value): that is no list";

/// has(list, value) as a function of SQL, for lists that are JSON text: 1 if the list has the value, else 0, NULL if
/// either is NULL. A number of the list is compared with the value as with a column of type NUMERIC, a text as with one
/// of type TEXT.
void Has(sqlite3_context* context, int count, sqlite3_value** values);

/// Makes Has() a function of `db`. Errors: kLimit  SQLite has no memory.
[[nodiscard]] Result<void> RegisterHas(sqlite3* db);

}  // namespace ofindex
