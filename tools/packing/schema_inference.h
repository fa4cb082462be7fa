#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tools/packing/feature_names.h"
#include "tools/packing/pack_schema.h"
#include "tools/packing/source_value.h"

namespace ofindex {

/// Infers the types of the values of all rows: whole numbers are long, other numbers double, truth values boolean, text
/// string. Whole numbers mixed with other numbers are double, truth values mixed with whole numbers long.
class SchemaInference : public RowVisitor {
 public:
  /// Whether text may be a number or a truth value: in CSV everything is text. A number with leading zeros ("007") or a
  /// whole number beyond 64 bits stays text, because it would not be written as it was read.
  enum class Text { kIsText, kMayBeNumber };

  explicit SchemaInference(Text text) : text_(text) {}

  [[nodiscard]] Result<void> List(std::string_view name, int depth) override;

  /// Errors: kFeature if a row has text and others have numbers, or if a list contains null.
  [[nodiscard]] Result<void> Value(std::string_view name, const SourceValue& value, int depth) override;

  /// Returns the schema of the rows so far, features in order of first appearance.
  [[nodiscard]] PackSchema Schema() const;

 private:
  struct Seen {
    uint8_t types = 0;     // one bit per SourceValue::Type
    uint8_t texts = 0;     // if text may be a number: bits for the types that not all texts can have
    bool empties = false;  // if text may be a number: whether some texts are empty
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
