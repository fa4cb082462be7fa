#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "proto/features.h"

namespace ofindex {

/// Returns the feature list `name`, which ends in []; null if there is none.
[[nodiscard]] const FeatureList* FindFeatureList(const DecodedRecord& record, std::string_view name);

/// Takes a piece of text.
using TextSink = std::function<Result<void>(std::string_view text)>;

/// Writes one feature of `record` as {"kind", "values"}, in pieces: no value is cut, except for a long one.
/// Errors: those of `add`.
[[nodiscard]] Result<void> AddJsonFeature(const DecodedRecord& record, FeatureValue value, const TextSink& add);

/// Writes the values of a feature as an array.
[[nodiscard]] Result<void> AddJsonValues(const DecodedRecord& record, FeatureValue value, const TextSink& add);

/// Writes a feature list: the values of each step, null for a step without a kind. If steps have several kinds, each
/// step is a feature itself.
[[nodiscard]] Result<void> AddJsonFeatureList(const DecodedRecord& record, const FeatureList& list,
                                              const TextSink& add);

/// Writes the values of the steps of a feature list as an array.
[[nodiscard]] Result<void> AddJsonSteps(const DecodedRecord& record, const FeatureList& list, const TextSink& add);

/// Writes features of `record` as docs/cli.md specifies: NAME -> {"kind", "values"}, lists as NAME[]. With `names`,
/// only those of these features that the record has, in their order.
[[nodiscard]] Result<void> AddJsonFeatures(const DecodedRecord& record, const std::vector<std::string>& names,
                                           const TextSink& add);

}  // namespace ofindex
