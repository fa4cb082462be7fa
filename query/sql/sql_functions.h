#pragma once

struct sqlite3;

namespace ofindex {

class StatementMonitor;

/// Replaces instr, replace, trim, ltrim, rtrim, LIKE and GLOB on `db` by functions that give the same results, and that
/// a monitor can stop. One call of SQLite's own takes time proportional to the product of its arguments' sizes, which
/// is a minute for instr() of 4 MB and 0.8 MB, and cannot be interrupted. `*running` is the monitor of the running
/// statement, null if there is none; `running` must outlive `db`. Returns false if SQLite refuses.
[[nodiscard]] bool RegisterSqlFunctions(sqlite3* db, StatementMonitor* const* running);

}  // namespace ofindex
