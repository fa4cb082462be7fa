#include "index/folder.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/file.h"
#include "base/text.h"

namespace ofindex {

namespace fs = std::filesystem;

Result<std::vector<std::string>> NamesIn(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    names.push_back(it->path().filename().string());
  }
  if (error) return tl::unexpected(SystemError(folder, "cannot list", error.value()));
  std::sort(names.begin(), names.end(), NaturalLess);
  return names;
}

}  // namespace ofindex
