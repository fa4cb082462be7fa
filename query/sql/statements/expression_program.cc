#include "query/sql/statements/expression_program.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <string_view>
#include <utility>

namespace ofindex {
namespace {

using Number = ComputedColumn::Number;
using StepOp = ComputedColumn::Step::Op;
using Type = ColumnValue::Type;

// The operands of Cast.
constexpr int64_t kToInteger = 'D';
constexpr int64_t kToReal = 'E';

std::optional<StepOp> ArithmeticOf(std::string_view opcode) {
  constexpr std::array<std::pair<std::string_view, StepOp>, 5> kOps = {{{"Add", StepOp::kAdd},
                                                                        {"Subtract", StepOp::kSubtract},
                                                                        {"Multiply", StepOp::kMultiply},
                                                                        {"Divide", StepOp::kDivide},
                                                                        {"Remainder", StepOp::kRemainder}}};
  for (const auto& [name, op] : kOps) {
    if (name == opcode) return op;
  }
  return std::nullopt;
}

/// Follows the registers of a program.
class Steps {
 public:
  explicit Steps(std::span<const Number> parameters) : parameters_(parameters) {}

  // Returns false if the instruction sets no constant.
  [[nodiscard]] bool TakeConstant(const Instruction& instruction) {
    Number number;
    number.type = Type::kInteger;
    if (instruction.opcode == "Integer") {
      number.integer = instruction.p1;
    } else if (instruction.opcode == "Int64") {
      const std::string& text = instruction.p4;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number.integer);
      if (error != std::errc() || end != text.data() + text.size()) return false;
    } else if (instruction.opcode == "Variable") {
      if (instruction.p1 < 1 || instruction.p1 > static_cast<int64_t>(parameters_.size())) return false;
      number = parameters_[static_cast<size_t>(instruction.p1 - 1)];
    } else {
      return false;
    }
    Set(instruction.p2, {.op = StepOp::kConstant, .constant = number});
    return true;
  }

  // Returns false if the instruction computes anything else, or from anything else.
  [[nodiscard]] bool TakeStep(const Instruction& instruction) {
    if (instruction.opcode == "VColumn") {
      Set(instruction.p3, {.op = StepOp::kColumn, .column = static_cast<uint32_t>(instruction.p2)});
      return true;
    }
    const bool to_integer = instruction.p2 == kToInteger;
    if (instruction.opcode == "Cast" && (to_integer || instruction.p2 == kToReal)) {
      const std::optional<size_t> a = Find(instruction.p1);
      if (a) Set(instruction.p1, {.op = to_integer ? StepOp::kToInteger : StepOp::kToReal, .a = *a});
      return a.has_value();
    }
    const std::optional<StepOp> op = ArithmeticOf(instruction.opcode);
    const std::optional<size_t> left = Find(instruction.p2);
    const std::optional<size_t> right = Find(instruction.p1);
    if (!op || !left || !right) return TakeConstant(instruction);
    Set(instruction.p3, {.op = *op, .a = *left, .b = *right});
    return true;
  }

  // Returns the steps if the last one sets the register `result`.
  [[nodiscard]] std::optional<std::vector<ComputedColumn::Step>> Take(int64_t result) {
    const std::optional<size_t> last = Find(result);
    if (!last || *last + 1 != steps_.size()) return std::nullopt;
    return std::move(steps_);
  }

 private:
  void Set(int64_t into, const ComputedColumn::Step& step) {
    registers_[into] = steps_.size();
    steps_.push_back(step);
  }

  [[nodiscard]] std::optional<size_t> Find(int64_t from) const {
    const auto found = registers_.find(from);
    return found == registers_.end() ? std::nullopt : std::optional<size_t>(found->second);
  }

  std::span<const Number> parameters_;
  std::vector<ComputedColumn::Step> steps_;
  std::map<int64_t, size_t> registers_;  // the step that set each
};

}  // namespace

std::optional<std::vector<ComputedColumn::Step>> ReadExpression(std::span<const Instruction> program,
                                                                std::span<const Number> parameters) {
  constexpr size_t kMaxProgram = 64;
  const auto find = [&](std::string_view opcode) {
    return std::find_if(program.begin(), program.end(), [&](const auto& each) { return each.opcode == opcode; });
  };
  const auto begin = find("VFilter");
  const auto end = find("ResultRow");
  const auto halt = find("Halt");
  if (begin == program.end() || end == program.end() || halt < end || end < begin || end->p2 != 1 ||
      program.size() > kMaxProgram)
    return std::nullopt;
  Steps steps(parameters);
  // The program begins after Halt, with what does not depend on the record.
  for (auto each = halt + 1; each != program.end(); ++each) {
    const bool moves = each->opcode == "Transaction" || each->opcode == "Goto";
    if (!moves && !steps.TakeStep(*each)) return std::nullopt;
  }
  for (auto each = begin + 1; each != end; ++each) {
    if (!steps.TakeStep(*each)) return std::nullopt;
  }
  return steps.Take(end->p1);
}

}  // namespace ofindex
