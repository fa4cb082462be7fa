#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "tools/packing/source_value.h"

namespace ofindex {

/// A row as text, with a line for each list and value: "NAME/DEPTH TYPE VALUE".
class ShownRow : public RowVisitor {
 public:
  Result<void> List(std::string_view name, int depth) override {
    lines.push_back(StrCat(Printable(name), "/", depth, " list"));
    return {};
  }

  Result<void> Value(std::string_view name, const SourceValue& value, int depth) override {
    using Type = SourceValue::Type;
    std::string text;
    if (value.type == Type::kBoolean || value.type == Type::kInteger) text = StrCat(" ", value.integer);
    if (value.type == Type::kReal) text = StrCat(" ", std::to_string(value.real));
    if (value.type == Type::kText || value.type == Type::kBytes) text = StrCat(" ", Printable(value.text));
    lines.push_back(StrCat(Printable(name), "/", depth, " ", ofindex::Name(value.type), text));
    return {};
  }

  std::vector<std::string> lines;
};

/// Parses `row` followed by 64 arbitrary bytes, as readers require.
inline Result<std::vector<std::string>> Show(RowParser& parser, std::string_view row) {
  const std::string behind = std::string(row) + std::string(64, '}');
  ShownRow shown;
  OFINDEX_TRY(parser.Parse(std::string_view(behind).substr(0, row.size()), shown));
  return shown.lines;
}

}  // namespace ofindex
