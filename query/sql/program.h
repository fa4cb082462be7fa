#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "query/sql/sql_session.h"

namespace ofindex {

/// One instruction of a statement's program, as EXPLAIN shows it (sqlite.org/opcode.html).
struct Instruction {
  std::string opcode = {};
  int64_t p1 = 0;
  int64_t p2 = 0;
  int64_t p3 = 0;
  std::string p4 = {};
};

/// Reads all rows of an EXPLAIN: instructions by address. Errors: those of SqlRows::Next; kLimit if rows are cut off.
[[nodiscard]] Result<std::vector<Instruction>> ReadProgram(SqlRows& explained);

}  // namespace ofindex
