#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tools/packing/feature_names.h"
#include "tools/packing/pack_schema.h"
#include "tools/packing/source_value.h"

namespace ofindex {

/// Finds out what types the values of all rows have. Whole numbers are long, numbers double, truth values boolean,
/// text string; whole numbers among others are double, truth values among whole numbers long.
class SchemaInference : public RowVisitor {
 public:
  /// Whether text may be a number or a truth value, as in CSV, where everything is text. A number with zeros before it
  /// ("007"), and a whole one beyond 64 bits, stays text, since it would not come out as it went in.
  enum class Text { kIsText, kMayBeNumber };

  explicit SchemaInference(Text text) : text_(text) {}

  [[nodiscard]] Result<void> List(std::string_view name, int depth) override;

  /// Errors: kFeature  text where other rows have numbers, or the other way round; null inside a list.
  [[nodiscard]] Result<void> Value(std::string_view name, const SourceValue& value, int depth) override;

  /// What the rows so far have, features in the order in which they came.
  [[nodiscard]] PackSchema Schema() const;

 private:
  struct Seen {
    uint8_t types = 0;     // a bit for each SourceValue::Type
    uint8_t texts = 0;     // text that may be a number: what some of it is not, a bit for each
    bool empties = false;  // empty texts, where text may be a number
    bool steps = false;
  };

  Seen& SeenOf(std::string_view name);
  [[nodiscard]] Result<void> CheckMixed(std::string_view name, const Seen& seen) const;
  [[nodiscard]] std::optional<SourceType> TypeOf(const Seen& seen) const;

  Text text_;
  FeatureNames names_;
  std::vector<Seen> seen_;
};

}  // namespace ofindex
