#pragma once

struct sqlite3;

namespace ofindex {

class SqlGate;

/// Replaces instr, replace, trim, ltrim, rtrim, LIKE and GLOB on `db` by functions of the same results that the gate's
/// guard can stop: one call of SQLite's own takes time in proportion to the product of its arguments' sizes, which is a
/// minute for instr() of 4 MB and 0.8 MB, and asks nobody. Returns false if SQLite refuses. `gate` must outlive `db`.
[[nodiscard]] bool RegisterSqlFunctions(sqlite3* db, const SqlGate& gate);

}  // namespace ofindex
