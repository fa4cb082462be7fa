#pragma once

#include <cstddef>

#include "base/result.h"

struct sqlite3;

namespace ofindex {

class SqlGate;

/// Byte `at` of a statement as the user counts, whose own text begins at byte `written_from` of it.
[[nodiscard]] constexpr size_t Shown(size_t at, size_t written_from) {
  return at < written_from ? 0 : at - written_from;
}

/// What SQLite says of the last thing that `db` refused or failed at. It was given the statement from byte `begin` on;
/// the user's own text begins at byte `written_from`. A name that does not exist is answered with the nearest ones that
/// do.
[[nodiscard]] Error SqlError(sqlite3* db, const SqlGate& gate, size_t begin, size_t written_from);

}  // namespace ofindex
