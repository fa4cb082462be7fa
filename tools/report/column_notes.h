#pragma once

#include <string>
#include <vector>

#include "index/build/builder.h"
#include "tools/shell/json.h"

namespace ofindex {

/// Adds notes on what the columns of a new index do not show: features whose lists read as NULL, and columns of the
/// index that was replaced. Each says how to store them.
void AddNotesOnColumns(const BuildReport& report, std::vector<std::string>& notes);

/// Returns the features whose lists read as NULL: name, column, records that have it, and those with exactly one value.
[[nodiscard]] Json JsonListsAsNull(const BuildReport& report);

}  // namespace ofindex
