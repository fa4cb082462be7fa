#include "index/columns/sql_names.h"

#include <string_view>

#include "base/text.h"
#include "index/columns/column.h"

namespace ofindex {

std::string SqlName(const std::string& feature) {
  if (feature.empty()) return "_empty";
  if (IsText(AsBytes(feature))) return feature;
  std::string escaped;
  for (const char c : feature) {
    const auto byte = static_cast<uint8_t>(c);
    if (byte != 0 && byte < 0x80) {
      escaped += c;
    } else {
      escaped += StrCat("\\x", ToHex(AsBytes(std::string_view(&c, 1))));
    }
  }
  return escaped;
}

void SqlNames::Reserve(const std::string& name) { taken_.insert(Folded(name)); }

std::string SqlNames::Take(const std::string& wanted) {
  std::string name = wanted;
  for (int i = 2; !taken_.insert(Folded(name)).second; ++i) name = StrCat(wanted, "_", i);
  return name;
}

}  // namespace ofindex
