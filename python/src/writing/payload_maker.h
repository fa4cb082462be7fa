#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "base/bytes.h"
#include "proto/encode/payload_builder.h"
#include "python/src/writing/feature_values.h"

namespace ofindex::python {

/// Rules for converting mappings to payloads.
struct PayloadRules {
  PayloadKind payload = PayloadKind::kExample;
  std::map<std::string, FeatureKind, std::less<>> schema = {};  ///< by name; for a feature list, without the brackets
  EntryOrder order = EntryOrder::kSorted;
  bool allow_nan = false;
};

/// Converts the rules from Python: `schema` maps names of features to names of kinds, or is None. Raises ValueError,
/// TypeError.
[[nodiscard]] PayloadRules PayloadRulesOf(const std::string& payload, nanobind::handle schema, bool sort,
                                          bool allow_nan);

/// Makes payloads from mappings of names to values, one after the other, and reuses its memory. The GIL is held; not
/// thread-safe.
class PayloadMaker {
 public:
  explicit PayloadMaker(const PayloadRules& rules)
      : rules_(rules), builder_(rules.payload, rules.order), values_(rules.payload, rules.allow_nan) {}

  /// Returns the payload of `features`, which will be record `number`. Valid until the next call.
  /// Raises FeatureError, TypeError, and exceptions of the objects themselves.
  [[nodiscard]] ByteView Make(nanobind::handle features, uint64_t number);

 private:
  void AddFeature(nanobind::handle key, nanobind::handle value);
  void AddList(ByteView name, nanobind::handle steps, bool marked);
  void Begin(ByteView name, std::string_view in_schema);
  void Check(Result<void> added) const;

  const PayloadRules& rules_;
  PayloadBuilder builder_;
  FeatureValues values_;
  uint64_t number_ = 0;
};

}  // namespace ofindex::python
