#pragma once

#include <cstddef>

#include "base/result.h"

struct sqlite3;

namespace ofindex {

class SqlGate;

/// What SQLite says of the last thing that `db` refused or failed at. `begin` is where in the user's text the statement
/// begins that SQLite was given. A name that does not exist is answered with the nearest ones that do.
[[nodiscard]] Error SqlError(sqlite3* db, const SqlGate& gate, size_t begin);

}  // namespace ofindex
