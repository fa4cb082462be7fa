#pragma once

// Put before every source of the extension that calls SQLite, by the compiler's -include: the same calls then go
// through the table of routines that the host hands over, and not to a second SQLite beside the host's own. Two of them
// in one process would break each other's locks (sqlite.org/howtocorrupt.html, 2.2.1).

#include <sqlite3ext.h>

SQLITE_EXTENSION_INIT3
