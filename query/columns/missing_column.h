#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "index/columns/column.h"

namespace ofindex {

/// What is said about a name that is no column: what exists instead, to follow the message, and the next step.
struct MissingColumn {
  std::string instead = {};  ///< "did you mean 'image/height'?"; may be empty
  Hint hint = {};
  bool without_column = false;  ///< there is a feature of this name, which has no column of its values
};

/// Explains that `name` is none of the columns `columns` of an index with `features`. It may be a feature without a
/// column of its values, the last part of a longer name, or a misspelling. Names are shown in `quote`.
[[nodiscard]] MissingColumn ExplainMissing(std::string_view name, const std::vector<std::string>& columns,
                                           const std::vector<FeatureRow>& features, std::string_view quote);

}  // namespace ofindex
