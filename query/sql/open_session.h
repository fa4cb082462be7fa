#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "query/columns/snapshot.h"
#include "query/sql/memory_table.h"
#include "query/sql/sql_session.h"

namespace ofindex {

/// Opens a session on the tables of a snapshot, whose columns it shares. Aggregates over `records` are computed by
/// kernels wherever the result is the same (query/sql/grouped_statements.h); the memory of such a statement is counted,
/// and limited, on its own. Errors: kIndex, kIo; kStale if the file was rewritten.
[[nodiscard]] Result<SqlSession> OpenSession(const Snapshot& snapshot);

/// What a session can read.
struct SessionParts {
  /// An index, whose tables are `name.records`, `name.shards` and so on; `records` and so on if the name is empty.
  struct Index {
    std::string name;
    std::shared_ptr<const Snapshot> snapshot;
  };

  std::vector<Index> indexes;  ///< at most one without a name, and that one first
  std::vector<MemoryTable> tables = {};
  uint64_t memory_bytes = uint64_t{1} << 30;  ///< for the tables
};

/// Opens a session on several indexes, and on tables in memory. Without a schema in front of it, the name of a table
/// means that of the first index that has it. Kernels compute the aggregates over the records of one index for each
/// statement, if the statement names no table in memory; SQLite computes all others. Errors: as above; kUsage if a name
/// is not a plain word, is a keyword of SQL, or is given twice; those of MakeMemoryTable.
[[nodiscard]] Result<SqlSession> OpenSession(const SessionParts& parts);

}  // namespace ofindex
