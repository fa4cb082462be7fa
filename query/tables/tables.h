#pragma once

#include <memory>

#include "base/result.h"
#include "query/columns/column_store.h"
#include "query/tables/values/work_limits.h"

struct sqlite3;

namespace ofindex {

// Registration of the tables on a connection. Tables report errors by SQLite's codes, with a text: SQLITE_CORRUPT for
// kIndex, SQLITE_IOERR_DATA for kStale, SQLITE_IOERR for kIo, SQLITE_NOMEM for kLimit, SQLITE_INTERRUPT for
// kInterrupted, SQLITE_CANTOPEN for kNotFound, SQLITE_ERROR for all others.

/// Makes the records of `store` readable on `db` as table `records`, and registers has(list, value). The table exists
/// under its name without CREATE, and cannot be written. Long work asks `limits`. Errors: kLimit if SQLite has no
/// memory.
[[nodiscard]] Result<void> RegisterRecords(sqlite3* db, std::shared_ptr<ColumnStore> store, WorkLimits limits = {});

/// Registers has(list, value) and the module for CREATE VIRTUAL TABLE t USING ofindex('path'), where path is an index
/// or the data of one. Such a table has the columns of `records`. Errors: kLimit if SQLite has no memory.
[[nodiscard]] Result<void> RegisterIndexModule(sqlite3* db);

}  // namespace ofindex
