#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace ofindex {

/// Returns the features that --feature names, each once, in their order. Each of `given` is a list of names, as
/// SplitNames reads it. Errors: kUsage if a name is empty.
[[nodiscard]] Result<std::vector<std::string>> ChosenFeatures(const std::vector<std::string>& given);

}  // namespace ofindex
