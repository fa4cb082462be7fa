#include "tools/show/chosen_features.h"

#include <set>
#include <utility>

#include "base/text.h"

namespace ofindex {

Result<std::vector<std::string>> ChosenFeatures(const std::vector<std::string>& given) {
  std::vector<std::string> names;
  std::set<std::string> seen;
  for (const std::string& list : given) {
    for (std::string& name : SplitNames(list)) {
      if (name.empty()) {
        return Fail(ErrorCode::kUsage, "--feature: an empty name; expected names separated by commas",
                    "`ofindex schema` lists the features");
      }
      if (seen.insert(name).second) names.push_back(std::move(name));
    }
  }
  return names;
}

}  // namespace ofindex
