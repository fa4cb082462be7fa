#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace ofindex {

/// The names in `folder`, in natural order. Errors: kIo  it is not there, or cannot be listed.
[[nodiscard]] Result<std::vector<std::string>> NamesIn(const std::string& folder);

}  // namespace ofindex
