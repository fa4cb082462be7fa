#pragma once

#include "base/result.h"
#include "query/decoding/feature_spec.h"
#include "query/decoding/feature_values.h"

namespace ofindex {

/// Returns the error for `fault`, which is not kNone, found when `values` were put in a column of `spec`: "feature
/// 'label': 2 values; expected 1", with code kFeature; kLimit for kMemory. The text does not name the record.
[[nodiscard]] Error FeatureError(const FeatureSpec& spec, const FeatureValues& values, FeatureFault fault);

}  // namespace ofindex
