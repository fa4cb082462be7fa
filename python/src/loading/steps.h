#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "query/sampling/steps/run_steps.h"

namespace ofindex::python {

/// SkippedSteps as Python has them: first and last step, epoch and position of the begin, epoch and position of the
/// end.
using SkippedNumbers = std::tuple<uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t>;

/// Returns the tail policy that Python calls `tail`. Raises ValueError if there is none.
[[nodiscard]] Tail TailOf(const std::string& tail);

[[nodiscard]] std::vector<SkippedSteps> SkipsOf(const std::vector<SkippedNumbers>& numbers);
[[nodiscard]] std::vector<SkippedNumbers> SkipNumbersOf(const std::vector<SkippedSteps>& skipped);

void BindSteps(nanobind::module_& m);

}  // namespace ofindex::python
