#pragma once

#include <vector>

#include "base/result.h"
#include "query/sql/sql_session.h"
#include "query/sql/statements/instruction.h"

namespace ofindex {

/// Reads all rows of an EXPLAIN: instructions by address. Errors: those of SqlRows::Next; kLimit if rows are cut off.
[[nodiscard]] Result<std::vector<Instruction>> ReadProgram(SqlRows& explained);

}  // namespace ofindex
