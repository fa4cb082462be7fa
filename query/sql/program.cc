#include "query/sql/program.h"

#include "base/text.h"

namespace ofindex {

Result<std::vector<Instruction>> ReadProgram(SqlRows& explained) {
  std::vector<Instruction> program;
  for (;;) {
    OFINDEX_ASSIGN(const bool more, explained.Next());
    if (explained.truncated())
      return Fail(ErrorCode::kLimit, "SQL: the program of the statement was cut off", "write a shorter statement");
    if (!more) return program;
    program.push_back({.opcode = std::string(AsText(explained.At(1).bytes)),
                       .p1 = explained.At(2).integer,
                       .p2 = explained.At(3).integer,
                       .p3 = explained.At(4).integer,
                       .p4 = std::string(AsText(explained.At(5).bytes))});
  }
}

}  // namespace ofindex
