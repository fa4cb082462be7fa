#pragma once

#include <optional>
#include <span>
#include <vector>

#include "query/aggregates/computed_column.h"
#include "query/sql/statements/instruction.h"

namespace ofindex {

/// Returns the steps of the only result of a SELECT over one virtual table, without WHERE; `parameters` are the values
/// of its parameters. Returns nothing if the program has other instructions than ComputedColumn has steps.
[[nodiscard]] std::optional<std::vector<ComputedColumn::Step>> ReadExpression(
    std::span<const Instruction> program, std::span<const ComputedColumn::Number> parameters);

}  // namespace ofindex
