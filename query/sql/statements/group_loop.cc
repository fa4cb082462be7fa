#include "query/sql/statements/group_loop.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace ofindex {
namespace {

// Returns whether a CollSeq names the collation BINARY.
bool IsBinary(const Instruction& collation) { return collation.p4.starts_with("BINARY"); }

// Returns whether the keys of a comparison, "k(2,B,-B)", all have the collation BINARY.
bool HasBinaryKeys(std::string_view keys) {
  if (!keys.starts_with("k(") || !keys.ends_with(")")) return false;
  keys = keys.substr(2, keys.size() - 3);
  size_t comma = keys.find(',');
  while (comma != std::string_view::npos) {
    keys.remove_prefix(comma + 1);
    comma = keys.find(',');
    const std::string_view key = keys.substr(0, comma);
    if (key != "B" && key != "-B") return false;
  }
  return true;
}

// Returns whether the table of values of a DISTINCT, `cursor`, compares them with the collation BINARY.
bool IsBinaryTable(std::span<const Instruction> program, int64_t cursor) {
  return std::any_of(program.begin(), program.end(), [cursor](const Instruction& instruction) {
    return instruction.opcode == "OpenEphemeral" && instruction.p1 == cursor && HasBinaryKeys(instruction.p4);
  });
}

/// Reads the body of a loop from front to back. Each function accepts one part of it and moves on, or returns false.
class BodyReader {
 public:
  BodyReader(std::span<const Instruction> program, size_t begin, size_t end, std::span<const GroupRequest::Key> keys)
      : program_(program), at_(begin), end_(end), cursor_(program[end].p1), keys_(keys) {}

  [[nodiscard]] std::optional<GroupLoop> Read() {
    ReadNullTests();
    if (!keys_.empty() && !ReadKeys()) return std::nullopt;
    while (ReadFunction()) continue;
    if (!keys_.empty() && !ReadShownKeys()) return std::nullopt;
    if (at_ != end_) return std::nullopt;
    loop_.of_keys = !keys_.empty();
    loop_.tells_equal_keys_apart = flag_ != 0;
    return std::move(loop_);
  }

 private:
  [[nodiscard]] bool Is(std::string_view opcode) const { return at_ < end_ && program_[at_].opcode == opcode; }
  [[nodiscard]] const Instruction& Now() const { return program_[at_]; }

  [[nodiscard]] bool Take(std::string_view opcode) {
    if (!Is(opcode)) return false;
    ++at_;
    return true;
  }

  // VColumn of the scan: returns its column, and its register in `into`.
  [[nodiscard]] std::optional<uint32_t> TakeColumn(int64_t& into) {
    if (!Is("VColumn") || Now().p1 != cursor_) return std::nullopt;
    into = Now().p3;
    return static_cast<uint32_t>(program_[at_++].p2);
  }

  // SQLite tests some columns for NULL even if the table has done so.
  void ReadNullTests() {
    for (;;) {
      const size_t begin = at_;
      int64_t into = 0;
      const std::optional<uint32_t> column = TakeColumn(into);
      if (!column || !Is("IsNull") || Now().p1 != into || Now().p2 != static_cast<int64_t>(end_)) {
        at_ = begin;
        return;
      }
      loop_.not_null.push_back(*column);
      ++at_;
    }
  }

  // The keys are compared with those of the row before; if they differ, the group is closed and a new one begins.
  [[nodiscard]] bool ReadKeys() {
    const auto keys = static_cast<int64_t>(keys_.size());
    int64_t first = 0;
    for (int64_t i = 0; i < keys; ++i) {
      int64_t into = 0;
      const std::optional<uint32_t> column = TakeColumn(into);
      if (i == 0) first = into;
      if (column != keys_[static_cast<size_t>(i)].column || into != first + i) return false;
    }
    if (!Is("Compare") || Now().p2 != first || Now().p3 != keys || !HasBinaryKeys(Now().p4)) return false;
    const int64_t before = program_[at_++].p1;
    const auto differs = static_cast<int64_t>(at_) + 1;
    if (!Is("Jump") || Now().p1 != differs || Now().p3 != differs) return false;
    const int64_t same = program_[at_++].p2;
    if (!Is("Move") || Now().p1 != first || Now().p2 != before || Now().p3 != keys) return false;
    ++at_;
    return Take("Gosub") && Take("IfPos") && Take("Gosub") && static_cast<int64_t>(at_) == same;
  }

  [[nodiscard]] bool ReadFunction() {
    const size_t begin = at_;
    if (Is("AggStep") && Now().p4 == "count(0)" && Now().p1 == 0) {
      loop_.counts_rows = true;
      ++at_;
      return true;
    }
    int64_t argument = 0;
    GroupLoop::Use use;
    const std::optional<uint32_t> column = TakeColumn(argument);
    if (column && ReadDistinct(argument, use) && ReadStep(argument, use)) {
      use.column = *column;
      loop_.uses.push_back(use);
      return true;
    }
    at_ = begin;
    return false;
  }

  // With DISTINCT, the step is skipped if the value is in a table, to which it is added otherwise.
  [[nodiscard]] bool ReadDistinct(int64_t argument, GroupLoop::Use& use) {
    if (!Is("Found")) return true;
    const int64_t skip = Now().p2;
    if (Now().p3 != argument || Now().p4 != "1" || skip != static_cast<int64_t>(at_) + 4) return false;
    if (!IsBinaryTable(program_, Now().p1)) return false;
    ++at_;
    if (!Is("MakeRecord") || Now().p1 != argument || Now().p2 != 1) return false;
    ++at_;
    use.distinct = Take("IdxInsert");
    return use.distinct && Is("AggStep");
  }

  [[nodiscard]] bool ReadStep(int64_t argument, GroupLoop::Use& use) {
    if (Is("CollSeq")) {
      if (!IsBinary(Now())) return false;
      flag_ = Now().p1;
      ++at_;
    }
    if (!Is("AggStep") || Now().p1 != 0 || Now().p2 != argument || !Now().p4.ends_with("(1)")) return false;
    use.function = Now().p4.substr(0, Now().p4.size() - 3);
    ++at_;
    return true;
  }

  // The keys that the statement shows are kept from the first row of a group, or from that of min() or max(). The jump
  // over this part depends on a register that no column is read into.
  [[nodiscard]] bool ReadShownKeys() {
    if (at_ == end_) return true;
    if (Is("If") && program_[at_++].p2 + 1 != static_cast<int64_t>(end_)) return false;
    int64_t into = 0;
    while (const std::optional<uint32_t> column = TakeColumn(into)) {
      if (std::none_of(keys_.begin(), keys_.end(), [&](const auto& key) { return key.column == *column; }))
        return false;
    }
    return Take("Integer");
  }

  std::span<const Instruction> program_;
  size_t at_;
  size_t end_;  // address of VNext
  int64_t cursor_;
  std::span<const GroupRequest::Key> keys_;
  GroupLoop loop_;
  int64_t flag_ = 0;  // register that min() or max() sets when they find a new value
};

// Instructions that can jump back to the beginning of a loop.
bool Closes(const Instruction& instruction) {
  const std::string& opcode = instruction.opcode;
  return opcode == "Goto" || opcode.ends_with("Next") || opcode.ends_with("Prev");
}

// Returns whether a loop around [begin, end] runs it several times. The last instruction of a program is a Goto to the
// first one after Init.
bool IsRepeated(std::span<const Instruction> program, size_t begin, size_t end) {
  for (size_t i = end + 1; i < program.size(); ++i) {
    const bool back = program[i].p2 > 1 && program[i].p2 <= static_cast<int64_t>(begin);
    if (back && Closes(program[i])) return true;
  }
  return false;
}

// Returns whether the body of a loop only leaves out keys that it has seen, and passes on the others.
bool OnlyShowsKeys(std::span<const Instruction> body) {
  constexpr std::array<std::string_view, 16> kShowing = {
      "VColumn", "Found", "MakeRecord", "IdxInsert", "ResultRow", "DecrJumpZero", "IfPos", "SorterInsert",
      "Copy",    "Yield", "Compare",    "Jump",      "Move",      "Gosub",        "If",    "Integer"};
  return std::all_of(body.begin(), body.end(), [&](const Instruction& instruction) {
    return std::find(kShowing.begin(), kShowing.end(), instruction.opcode) != kShowing.end();
  });
}

// Returns whether all values by which the VFilter at `begin` looks records up are constants or parameters. They are in
// the registers after the one that holds their number.
bool LooksUpConstants(std::span<const Instruction> program, size_t begin) {
  constexpr std::array<std::string_view, 8> kConstants = {"Variable", "Integer", "Int64", "Real",
                                                          "String8",  "String",  "Blob",  "Null"};
  const auto sets = [&](const Instruction& instruction, int64_t into) {
    return instruction.p2 == into &&
           std::find(kConstants.begin(), kConstants.end(), instruction.opcode) != kConstants.end();
  };
  const int64_t numbers = program[begin].p3;
  const auto count = std::find_if(program.begin(), program.end(), [&](const Instruction& instruction) {
    return instruction.opcode == "Integer" && instruction.p2 == numbers + 1;
  });
  if (count == program.end()) return false;
  for (int64_t i = 0; i < count->p1; ++i) {
    const int64_t into = numbers + 2 + i;
    const auto set = std::find_if(program.begin(), program.end(),
                                  [&](const Instruction& instruction) { return sets(instruction, into); });
    if (set == program.end()) return false;
  }
  return true;
}

// Returns the address of the VNext that closes the loop; 0 if there is none as expected.
size_t EndOf(std::span<const Instruction> program, size_t begin) {
  for (size_t i = begin + 1; i < program.size(); ++i) {
    if (program[i].opcode != "VNext" || program[i].p1 != program[begin].p1) continue;
    const bool closes = program[i].p2 == static_cast<int64_t>(begin) + 1;
    return closes && program[begin].p2 == static_cast<int64_t>(i) + 1 ? i : 0;
  }
  return 0;
}

// Returns whether the whole program reads nothing from the cursor but the keys, and does the same with equal ones.
bool ReadsOnlyKeys(std::span<const Instruction> program, int64_t cursor, const GroupOffer& offer) {
  return std::all_of(program.begin(), program.end(), [&](const Instruction& instruction) {
    if (instruction.opcode.ends_with("Function") && instruction.p4.starts_with("random")) return false;
    if (instruction.p1 != cursor) return true;
    if (instruction.opcode == "Rowid" || instruction.opcode == "DeferredSeek") return false;
    return instruction.opcode != "VColumn" || std::any_of(offer.keys.begin(), offer.keys.end(), [&](const auto& key) {
             return static_cast<int64_t>(key.column) == instruction.p2;
           });
  });
}

}  // namespace

std::optional<GroupLoop> ReadGroupLoop(std::span<const Instruction> program, size_t begin, const GroupOffer& offer) {
  const size_t end = EndOf(program, begin);
  if (end == 0 || (offer.looks_up && !LooksUpConstants(program, begin))) return std::nullopt;
  if (!IsRepeated(program, begin, end)) {
    // If count(DISTINCT x) is the only function, SQLite asks for DISTINCT rows, although it adds up all of them.
    const auto keys = offer.distinct ? std::span<const GroupRequest::Key>() : offer.keys;
    std::optional<GroupLoop> loop = BodyReader(program, begin + 1, end, keys).Read();
    if (loop && (!keys.empty() || loop->counts_rows || !loop->uses.empty())) return loop;
  }
  if (!offer.distinct || !ReadsOnlyKeys(program, program[begin].p1, offer)) return std::nullopt;
  return GroupLoop{.tells_equal_keys_apart = !OnlyShowsKeys(program.subspan(begin + 1, end - begin - 1))};
}

}  // namespace ofindex
