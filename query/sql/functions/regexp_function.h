#pragma once

struct sqlite3_context;
struct sqlite3_value;

namespace ofindex {

/// The beginning of the errors of regexp(). SQLite has no place for a hint.
inline constexpr char kRegexpError[] = "regexp(pattern, text): ";

/// Implements the SQL function regexp(pattern, text), as which SQLite also calls `text REGEXP pattern`: 1 if a part of
/// the text matches the pattern (query/sql/functions/pattern.h), otherwise 0; NULL if either is NULL. A blob matches
/// nothing, as with LIKE. A constant pattern is compiled once. The user data of the function are a `const WorkLimits*`.
void Regexp(sqlite3_context* context, int count, sqlite3_value** values);

}  // namespace ofindex
