#pragma once

// Included by the compiler's -include in every source of the extension that calls SQLite: the calls then go through the
// host's table of routines, and not to a second SQLite next to the host's. Two copies of SQLite in one process would
// break each other's locks (sqlite.org/howtocorrupt.html, 2.2.1).

#include <sqlite3ext.h>

SQLITE_EXTENSION_INIT3
