#pragma once

#include <cstddef>

#include "base/result.h"

struct sqlite3;

namespace ofindex {

class SqlAuthorizer;

/// Converts byte position `at` in a statement to a position in the user's text, which begins at byte `written_from`.
[[nodiscard]] constexpr size_t Shown(size_t at, size_t written_from) {
  return at < written_from ? 0 : at - written_from;
}

/// Returns the error for the last call that `db` refused or failed. SQLite was given the statement from byte `begin`
/// on; the user's own text begins at byte `written_from`. For a name that does not exist, the error gives the nearest
/// ones that do.
[[nodiscard]] Error SqlError(sqlite3* db, const SqlAuthorizer& authorizer, size_t begin, size_t written_from);

}  // namespace ofindex
