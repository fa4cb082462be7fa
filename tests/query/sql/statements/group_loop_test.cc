#include "query/sql/statements/group_loop.h"

#include <doctest/doctest.h>

#include <utility>

namespace ofindex {
namespace {

// The loops of small programs, as SQLite 3.40 compiles them for a virtual table with cursor 0. Column 4 is the key,
// column 5 an argument.

using Program = std::vector<Instruction>;

constexpr size_t kLoopBegin = 3;  // address of VFilter

const GroupOffer kByKey = {.keys = {{.column = 4}}, .promised = true};
const GroupOffer kDistinctKeys = {.keys = {{.column = 4}}, .distinct = true, .promised = true};

// SELECT key, sum(argument), count(*) FROM records GROUP BY key
Program Grouped() {
  return {
      {"Init", 0, 19},
      {"VOpen", 0, 0, 0, "vtab:1"},
      {"Integer", 0, 12},
      {"VFilter", 0, 18, 11},
      {"VColumn", 0, 4, 10},
      {"Compare", 8, 10, 1, "k(1,B)"},
      {"Jump", 7, 11, 7},
      {"Move", 10, 8, 1},
      {"Gosub", 6, 19},
      {"IfPos", 5, 19},
      {"Gosub", 7, 19},
      {"VColumn", 0, 5, 11},
      {"AggStep", 0, 11, 2, "sum(1)"},
      {"AggStep", 0, 0, 3, "count(0)"},
      {"If", 4, 16},
      {"VColumn", 0, 4, 1},
      {"Integer", 1, 4},
      {"VNext", 0, 4},
      {"Halt"},
      {"Goto", 0, 1},
  };
}

// SELECT count(DISTINCT argument), max(argument) FROM records
Program Ungrouped() {
  return {
      {"Init", 0, 14},
      {"OpenEphemeral", 1, 0, 0, "k(1,B)"},
      {"Integer", 0, 12},
      {"VFilter", 0, 13, 11},
      {"VColumn", 0, 5, 10},
      {"Found", 1, 9, 10, "1"},
      {"MakeRecord", 10, 1, 9},
      {"IdxInsert", 1, 9, 10, "1"},
      {"AggStep", 0, 10, 2, "count(1)"},
      {"VColumn", 0, 5, 10},
      {"CollSeq", 4, 0, 0, "BINARY-8"},
      {"AggStep", 0, 10, 3, "max(1)"},
      {"VNext", 0, 4},
      {"Halt"},
      {"Goto", 0, 1},
  };
}

// SELECT DISTINCT key FROM records
Program Distinct() {
  return {
      {"Init", 0, 10},
      {"OpenEphemeral", 1, 0, 0, "k(1,B)"},
      {"Integer", 0, 12},
      {"VFilter", 0, 9, 11},
      {"VColumn", 0, 4, 1},
      {"Found", 1, 8, 1, "1"},
      {"IdxInsert", 1, 2, 1, "1"},
      {"ResultRow", 1, 1},
      {"VNext", 0, 4},
      {"Halt"},
      {"Goto", 0, 1},
  };
}

Program WithInstruction(Program program, size_t address, Instruction instruction) {
  program[address] = std::move(instruction);
  return program;
}

TEST_CASE("a loop that adds rows up in groups is read") {
  const auto loop = ReadGroupLoop(Grouped(), kLoopBegin, kByKey);
  REQUIRE(loop.has_value());
  REQUIRE(loop->uses.size() == 1);
  CHECK(loop->uses[0].function == "sum");
  CHECK(loop->uses[0].column == 5);
  CHECK_FALSE(loop->uses[0].distinct);
  CHECK(loop->counts_rows);
  CHECK(loop->of_keys);
  CHECK_FALSE(loop->tells_equal_keys_apart);
}

TEST_CASE("a loop that adds up all rows is read") {
  const auto loop = ReadGroupLoop(Ungrouped(), kLoopBegin, {});
  REQUIRE(loop.has_value());
  REQUIRE(loop->uses.size() == 2);
  CHECK(loop->uses[0].function == "count");
  CHECK(loop->uses[0].distinct);
  CHECK(loop->uses[1].function == "max");
  CHECK_FALSE(loop->uses[1].distinct);
  CHECK_FALSE(loop->counts_rows);
  CHECK_FALSE(loop->of_keys);
  CHECK(loop->tells_equal_keys_apart);  // max() finds new values
}

TEST_CASE("a loop that only passes on distinct keys is read") {
  const auto loop = ReadGroupLoop(Distinct(), kLoopBegin, kDistinctKeys);
  REQUIRE(loop.has_value());
  CHECK(loop->uses.empty());
  CHECK(loop->of_keys);
  CHECK_FALSE(loop->tells_equal_keys_apart);
  const Program computes = WithInstruction(Distinct(), 7, {"Add", 1, 1, 1});
  const auto computed = ReadGroupLoop(computes, kLoopBegin, kDistinctKeys);
  REQUIRE(computed.has_value());
  CHECK(computed->tells_equal_keys_apart);
}

TEST_CASE("a loop that tests a column for NULL again leaves those rows out") {
  Program program = Ungrouped();
  program.insert(program.begin() + 4, {{"VColumn", 0, 6, 9}, {"IsNull", 9, 14}});
  program[3].p2 = 15;
  program[7].p2 = 11;
  program[14].p2 = 4;
  const auto loop = ReadGroupLoop(program, kLoopBegin, {});
  REQUIRE(loop.has_value());
  CHECK(loop->not_null == std::vector<uint32_t>{6});
  program[5].p2 = 13;  // jumps elsewhere
  CHECK_FALSE(ReadGroupLoop(program, kLoopBegin, {}).has_value());
}

TEST_CASE("a loop that differs from the known forms in one instruction is not read") {
  struct Case {
    const char* what;
    Program program;
    GroupOffer offer = kByKey;
  };
  const Case cases[] = {
      {"the filter ends elsewhere", WithInstruction(Grouped(), 3, {"VFilter", 0, 19, 11})},
      {"the loop begins elsewhere", WithInstruction(Grouped(), 17, {"VNext", 0, 5})},
      {"the loop is not closed", WithInstruction(Grouped(), 17, {"Noop"})},
      {"a key of another cursor", WithInstruction(Grouped(), 4, {"VColumn", 1, 4, 10})},
      {"a key that was not offered", WithInstruction(Grouped(), 4, {"VColumn", 0, 6, 10})},
      {"a key of another collation", WithInstruction(Grouped(), 5, {"Compare", 8, 10, 1, "k(1,NOCASE)"})},
      {"a comparison of other registers", WithInstruction(Grouped(), 5, {"Compare", 8, 9, 1, "k(1,B)"})},
      {"a comparison of more keys", WithInstruction(Grouped(), 5, {"Compare", 8, 10, 2, "k(2,B,B)"})},
      {"less is another group, greater is not", WithInstruction(Grouped(), 6, {"Jump", 7, 11, 11})},
      {"equal keys go elsewhere", WithInstruction(Grouped(), 6, {"Jump", 7, 12, 7})},
      {"the key is not kept", WithInstruction(Grouped(), 7, {"Move", 10, 9, 1})},
      {"the group is not closed", WithInstruction(Grouped(), 8, {"Noop"})},
      {"an argument that is computed", WithInstruction(Grouped(), 11, {"Add", 10, 10, 11})},
      {"an argument of another cursor", WithInstruction(Grouped(), 11, {"VColumn", 1, 5, 11})},
      {"a step with another register", WithInstruction(Grouped(), 12, {"AggStep", 0, 12, 2, "sum(1)"})},
      {"a step that takes rows away", WithInstruction(Grouped(), 12, {"AggInverse", 0, 11, 2, "sum(1)"})},
      {"a function of two arguments", WithInstruction(Grouped(), 12, {"AggStep", 0, 11, 2, "group_concat(2)"})},
      {"the shown keys are skipped to elsewhere", WithInstruction(Grouped(), 14, {"If", 4, 15})},
      {"a shown column that is no key", WithInstruction(Grouped(), 15, {"VColumn", 0, 5, 1})},
      {"a result within the loop", WithInstruction(Grouped(), 16, {"ResultRow", 1, 1})},
      {"a loop around it", WithInstruction(Grouped(), 18, {"Next", 1, 2})},
      {"a lookup by a column",
       WithInstruction(WithInstruction(Grouped(), 2, {"Integer", 1, 12}), 1, {"Column", 1, 0, 13}),
       {.keys = {{.column = 4}}, .promised = true, .looks_up = true}},
      {"DISTINCT of another collation", WithInstruction(Ungrouped(), 1, {"OpenEphemeral", 1, 0, 0, "k(1,NOCASE)"}), {}},
      {"DISTINCT of another register", WithInstruction(Ungrouped(), 5, {"Found", 1, 9, 11, "1"}), {}},
      {"DISTINCT that skips more", WithInstruction(Ungrouped(), 5, {"Found", 1, 10, 10, "1"}), {}},
      {"DISTINCT that keeps nothing", WithInstruction(Ungrouped(), 7, {"Noop"}), {}},
      {"max() of another collation", WithInstruction(Ungrouped(), 10, {"CollSeq", 4, 0, 0, "RTRIM-8"}), {}},
      {"distinct rows, and a column that is no key", WithInstruction(Distinct(), 7, {"VColumn", 0, 5, 1}),
       kDistinctKeys},
      {"distinct rows, and the number of a record", WithInstruction(Distinct(), 7, {"Rowid", 0, 1}), kDistinctKeys},
      {"distinct rows, and chance", WithInstruction(Distinct(), 7, {"Function", 0, 0, 1, "random(0)"}), kDistinctKeys},
      {"distinct rows that were not asked for", Distinct(), kByKey},
  };
  for (const Case& one : cases) {
    CAPTURE(one.what);
    CHECK_FALSE(ReadGroupLoop(one.program, kLoopBegin, one.offer).has_value());
  }
}

TEST_CASE("a lookup by constants runs once, so its loop is read") {
  GroupOffer offer = kByKey;
  offer.looks_up = true;
  Program program = Grouped();
  program[1] = {"Variable", 1, 13};
  program[2] = {"Integer", 1, 12};
  CHECK(ReadGroupLoop(program, kLoopBegin, offer).has_value());
}

TEST_CASE("a program that is cut off before the end of its loop is not read") {
  for (const Program& whole : {Grouped(), Ungrouped(), Distinct()}) {
    const GroupOffer& offer = whole.size() == Distinct().size() ? kDistinctKeys : kByKey;
    for (size_t size = kLoopBegin + 1; size < whole.size() && whole[size - 1].opcode != "VNext"; ++size) {
      CAPTURE(size);
      CHECK_FALSE(ReadGroupLoop(std::span(whole).first(size), kLoopBegin, offer).has_value());
    }
  }
}

}  // namespace
}  // namespace ofindex
