#pragma once

#include "base/result.h"
#include "query/columns/snapshot.h"
#include "query/sql/sql_session.h"

namespace ofindex {

/// Opens a session on the tables of a snapshot, whose columns it shares. Aggregates over `records` are computed by
/// kernels wherever the result is the same (query/sql/grouped_statements.h); the memory of such a statement is counted,
/// and limited, on its own. Errors: kIndex, kIo; kStale if the file was rewritten.
[[nodiscard]] Result<SqlSession> OpenSession(const Snapshot& snapshot);

}  // namespace ofindex
