#pragma once

#include "query/tables/values/work_limits.h"

struct sqlite3;

namespace ofindex {

/// Registers regexp, median, percentile, stddev and variance on `db`, and string_agg if this SQLite does not have it.
/// Long work asks `limits`. Returns false if SQLite refuses.
[[nodiscard]] bool AddFunctions(sqlite3* db, const WorkLimits& limits);

/// Registers those functions that `db` does not have: a host may have its own. Returns false if SQLite refuses.
[[nodiscard]] bool AddMissingFunctions(sqlite3* db);

}  // namespace ofindex
