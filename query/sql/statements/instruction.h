#pragma once

#include <cstdint>
#include <string>

namespace ofindex {

/// One instruction of a statement's program, as EXPLAIN shows it (sqlite.org/opcode.html).
struct Instruction {
  std::string opcode = {};
  int64_t p1 = 0;
  int64_t p2 = 0;
  int64_t p3 = 0;
  std::string p4 = {};
};

}  // namespace ofindex
