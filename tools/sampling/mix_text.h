#pragma once

#include <string>

#include "base/result.h"
#include "query/sampling/mix_quality.h"
#include "tools/shell/context.h"
#include "tools/shell/json.h"
#include "tools/shell/output.h"

namespace ofindex {

/// Returns the document of `sample --quality --json`.
[[nodiscard]] Json JsonMix(const MixQuality& quality);

/// Prints how well an order mixes the values of `column`, as lines or as the document of --json.
[[nodiscard]] Result<void> PrintMix(const MixQuality& quality, const std::string& column, const Context& context,
                                    Output& out);

}  // namespace ofindex
