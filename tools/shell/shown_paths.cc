#include "tools/shell/shown_paths.h"

#include <system_error>

#include "base/file.h"

namespace ofindex {

namespace fs = std::filesystem;

ShownPaths::ShownPaths(const std::string& index) {
  std::error_code error;
  folder_ = fs::weakly_canonical(fs::absolute(FolderOf(index), error), error);
  if (!error) here_ = fs::current_path(error);
  if (error) folder_.clear();
}

std::string ShownPaths::operator()(const std::string& stored) const {
  if (folder_.empty() || !stored.starts_with("../")) return stored;
  // Stored paths count from the folder without links: index/catalog/paths.h.
  return NearPath((folder_ / stored).lexically_normal(), here_);
}

std::string NearPath(const fs::path& path, const fs::path& here) {
  const fs::path near = path.lexically_proximate(here);
  return *near.begin() == ".." ? path.string() : near.string();
}

}  // namespace ofindex
