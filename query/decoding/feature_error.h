#pragma once

#include "base/result.h"
#include "query/decoding/feature_spec.h"
#include "query/decoding/feature_values.h"

namespace ofindex {

/// What to tell of `fault`, which is one, found in `values` as they were put in a column of `spec`:
/// "feature 'label': 2 values; expected 1", of code kFeature; kLimit of kMemory. Its record is not named.
[[nodiscard]] Error FeatureError(const FeatureSpec& spec, const FeatureValues& values, FeatureFault fault);

}  // namespace ofindex
