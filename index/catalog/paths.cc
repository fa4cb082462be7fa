#include "index/catalog/paths.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "base/file.h"
#include "base/text.h"
#include "index/catalog/catalog.h"

namespace ofindex {
namespace {

namespace fs = std::filesystem;

// Returns `path` without anything after its last name: "train/" and "train/." become "train".
fs::path Trimmed(fs::path path) {
  while (path.has_parent_path() && path != path.root_path() && (!path.has_filename() || path.filename() == ".")) {
    path = path.parent_path();
  }
  return path;
}

// Returns `path` as an absolute path without "." and "..". Links in its folder are resolved, its last component is not.
// The path is not shortened as text: after a link to a folder, ".." is the folder above the link's target.
Result<fs::path> Anchored(const std::string& path) {
  if (path.empty())
    return Fail(ErrorCode::kUsage, "'' is not a path: it is empty", "name a file or a folder that is there");
  std::error_code error;
  const fs::path whole = Trimmed(fs::absolute(path, error));
  if (error) return tl::unexpected(SystemError(path, "cannot resolve", error.value()));
  const bool named = whole.has_filename() && whole.filename() != "..";
  const fs::path folder = fs::weakly_canonical(named ? whole.parent_path() : whole, error);
  if (error) return tl::unexpected(SystemError(path, "cannot resolve", error.value()));
  return named ? folder / whole.filename() : folder;
}

bool HasDotDot(const fs::path& path) { return std::find(path.begin(), path.end(), "..") != path.end(); }

// Returns the length of the common prefix, at most `limit` bytes, that names one folder.
size_t SharedFolderBytes(std::string_view a, std::string_view b, size_t limit) {
  size_t folder = 0;
  limit = std::min({a.size(), b.size(), limit});
  for (size_t i = 0; i < limit && a[i] == b[i]; ++i) {
    if (a[i] == '/') folder = i + 1;
  }
  return folder;
}

}  // namespace

Result<std::string> IndexPathOf(const std::string& data) {
  fs::path path = Trimmed(data);
  if (path == "." || path.filename() == ".." || !path.has_filename()) {
    OFINDEX_ASSIGN(path, Anchored(data));
    if (!path.has_filename()) {
      return Fail(ErrorCode::kUsage, StrCat(Printable(data), ": has no name to derive the name of the index from"),
                  "name it with `ofindex build DATA -o NAME.ofidx`; the other verbs take NAME.ofidx");
    }
  }
  if (!HasDotDot(path)) path = path.lexically_normal();
  return path.string() + std::string(kIndexSuffix);
}

std::string IndexFolder() {
  const char* folder = std::getenv(kIndexFolderVariable);
  return folder == nullptr ? std::string() : std::string(folder);
}

Result<std::string> IndexPathBelow(const std::string& folder, const std::string& data) {
  OFINDEX_TRY(IndexPathOf(data));  // it has a name
  std::error_code error;
  const fs::path whole = Trimmed(fs::weakly_canonical(fs::absolute(data, error), error));
  if (error) return tl::unexpected(SystemError(data, "cannot resolve", error.value()));
  return (fs::path(folder) / whole.relative_path()).string() + std::string(kIndexSuffix);
}

Result<std::string> NewIndexPathOf(const std::string& data) {
  const std::string folder = IndexFolder();
  return folder.empty() ? IndexPathOf(data) : IndexPathBelow(folder, data);
}

Result<std::string> RelativeTo(const std::string& path, const std::string& folder) {
  OFINDEX_ASSIGN(const fs::path anchored, Anchored(path));
  std::error_code error;
  const fs::path base = fs::weakly_canonical(fs::absolute(folder, error), error);
  if (error) return tl::unexpected(SystemError(folder, "cannot resolve", error.value()));
  return anchored.lexically_relative(base).string();
}

size_t CommonFolderBytes(const std::vector<ShardRow>& shards) {
  const ShardRow* first = nullptr;
  size_t common = 0;
  for (const ShardRow& shard : shards) {
    if (shard.is_gone()) continue;
    if (first == nullptr) {
      first = &shard;
      common = shard.path.size();
    }
    common = SharedFolderBytes(first->path, shard.path, common);
  }
  return common;
}

}  // namespace ofindex
