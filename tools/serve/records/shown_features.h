#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "proto/features.h"
#include "tools/shell/json.h"

namespace ofindex {

/// How much of the values of features an answer may still show, in bytes of its document in memory, roughly. Not
/// thread-safe.
class Allowance {
 public:
  explicit Allowance(uint64_t bytes) : left_(bytes) {}

  /// Takes `bytes`. Returns false if there are not so many left.
  bool Take(uint64_t bytes) {
    if (bytes > left_) return false;
    left_ -= bytes;
    return true;
  }

 private:
  uint64_t left_;
};

/// Returns the features of `record` as the API describes them: those in `names`, or all if it is nullopt. Of feature
/// lists, which are called NAME[], step `step` is shown, or the last one. `kind` is that of the payload.
[[nodiscard]] Json FeaturesOf(const DecodedRecord& record, PayloadKind kind,
                              const std::optional<std::vector<std::string>>& names, uint64_t step,
                              Allowance& allowance);

/// Returns the one feature of a payload that is not a message: its bytes.
[[nodiscard]] Json OpaqueFeature(ByteView payload, Allowance& allowance);

/// Returns the feature that the API calls `name`; of a feature list, step `step`. Errors: kFeature if the record has no
/// such feature or step.
[[nodiscard]] Result<FeatureValue> FindFeature(const DecodedRecord& record, std::string_view name, uint64_t step);

}  // namespace ofindex
