#pragma once

#include <memory>

#include "base/result.h"
#include "index/database/index_file.h"

struct sqlite3;

namespace ofindex::sqlite {

/// Opens a connection that reads the pages of `index` from the file held open, and nothing else: no path is looked up,
/// so a file that has taken its name is never read. Reading a page of a file that was rewritten in place fails with
/// SQLITE_IOERR_DATA. Returns SQLite's code; `handle` must be closed in any case.
[[nodiscard]] int OpenHeldFile(std::shared_ptr<const IndexFile> index, int flags, sqlite3** handle);

}  // namespace ofindex::sqlite
