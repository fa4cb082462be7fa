#pragma once

#include <cstdint>

#include "query/aggregates/computed_steps.h"

namespace ofindex {

using StepOp = ComputedStep::Op;

/// Returns the step that gives `value` for every record.
inline ComputedStep ConstantStep(int64_t value) {
  ComputedStep step{.op = StepOp::kConstant};
  step.constant.type = ColumnValue::Type::kInteger;
  step.constant.integer = value;
  return step;
}

}  // namespace ofindex
