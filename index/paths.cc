#include "index/paths.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/file.h"
#include "base/text.h"

namespace ofindex {
namespace {

namespace fs = std::filesystem;

// `path` as an absolute one without "." and "..", its last component as it is, the folder before it with links resolved.
Result<fs::path> Anchored(const std::string& path) {
  std::error_code error;
  fs::path whole = fs::absolute(path, error).lexically_normal();
  if (!error && !whole.has_filename()) whole = whole.parent_path();  // "train/" is "train"
  const fs::path folder = error ? fs::path() : fs::weakly_canonical(whole.parent_path(), error);
  if (error) return tl::unexpected(SystemError(path, "cannot resolve", error.value()));
  return whole.has_filename() ? folder / whole.filename() : folder;
}

}  // namespace

Result<std::string> IndexPathOf(const std::string& data) {
  fs::path path = fs::path(data).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  if (path == "." || path == ".." || !path.has_filename()) {
    OFINDEX_ASSIGN(const fs::path anchored, Anchored(data));
    if (!anchored.has_filename()) {
      return Fail(ErrorCode::kUsage, StrCat(Printable(data), ": no name to call the index after"), "name it with -o INDEX");
    }
    path = anchored;
  }
  return path.string() + std::string(kIndexSuffix);
}

Result<std::string> ResolveIndex(const std::string& name) {
  if (name.ends_with(kIndexSuffix)) return name;
  return IndexPathOf(name);
}

std::string FolderOf(const std::string& path) {
  const std::string folder = fs::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

Result<std::string> RelativeTo(const std::string& path, const std::string& folder) {
  OFINDEX_ASSIGN(const fs::path anchored, Anchored(path));
  std::error_code error;
  const fs::path base = fs::weakly_canonical(fs::absolute(folder, error), error);
  if (error) return tl::unexpected(SystemError(folder, "cannot resolve", error.value()));
  return anchored.lexically_relative(base).string();
}

size_t CommonFolderBytes(std::string_view a, std::string_view b, size_t common) {
  size_t folder = 0;
  const size_t most = std::min({a.size(), b.size(), common});
  for (size_t i = 0; i < most && a[i] == b[i]; ++i) {
    if (a[i] == '/') folder = i + 1;
  }
  return folder;
}

}  // namespace ofindex
