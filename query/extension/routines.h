#pragma once

struct sqlite3_api_routines;

namespace ofindex {

/// Sets the table of the host's functions, which all functions of SQLite in the extension call: they take the place of
/// the library, because two copies of SQLite in one process break each other's locks (sqlite.org/howtocorrupt.html,
/// 2.2.1). Returns false, and changes nothing, if a function is missing or another SQLite of this process is the host.
[[nodiscard]] bool UseRoutines(const sqlite3_api_routines* routines);

}  // namespace ofindex
