#include "index/keys/kept_keys.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "index/keys/key_file.h"
#include "index/keys/key_paths.h"
#include "index/output/atomic_file.h"

namespace ofindex {

Result<std::vector<std::string>> KeyNamesOf(const std::string& index) {
  OFINDEX_ASSIGN(const std::vector<std::string> paths, KeyFilesOf(index));
  std::vector<std::string> names;
  for (const std::string& path : paths) {
    const Result<KeyFile> key = KeyFile::OpenAt(path, index);
    const bool is_gone = !key && (key.error().code == ErrorCode::kIndex || key.error().code == ErrorCode::kNotFound);
    if (!key && !is_gone) return tl::unexpected(key.error());
    // A key that was renamed by hand is found under its name alone.
    if (key && KeyPathOf(index, key->facts().name) == path) names.push_back(key->facts().name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

Result<std::vector<std::string>> RemoveStaleKeys(const std::string& index, uint64_t binding) {
  OFINDEX_ASSIGN(const std::vector<std::string> paths, KeyFilesOf(index));
  std::vector<std::string> names;
  for (const std::string& path : paths) {
    AtomicFile::RemoveLeftover(path);
    const Result<KeyFile> key = KeyFile::OpenAt(path, index);
    if (key && key->origin().binding == binding) continue;
    if (!key && key.error().code != ErrorCode::kIndex) continue;  // it may be sound, and cannot be read now
    if (::unlink(path.c_str()) != 0) continue;
    names.push_back(key ? key->facts().name : std::filesystem::path(path).filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace ofindex
