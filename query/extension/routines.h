#pragma once

struct sqlite3_api_routines;

namespace ofindex {

/// The functions of SQLite that ofindex's libraries call are defined in the extension: each calls the host's, from
/// `routines`, which must be set before any is called. A second SQLite next to the host's never enters the process: two
/// copies would break each other's locks (sqlite.org/howtocorrupt.html, 2.2.1).
void UseRoutines(const sqlite3_api_routines* routines);

}  // namespace ofindex
