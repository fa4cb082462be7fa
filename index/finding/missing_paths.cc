#include "index/finding/missing_paths.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "base/nearest_names.h"
#include "base/text.h"
#include "index/catalog/paths.h"

namespace ofindex {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxNamesRead = 10'000;

// Returns the names in `folder`, and for each index the name of its data.
std::vector<std::string> NamesIn(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  fs::directory_iterator entry(folder.empty() ? fs::path(".") : folder, error);
  for (size_t i = 0; !error && entry != fs::directory_iterator() && i < kMaxNamesRead; ++i, entry.increment(error)) {
    std::string name = entry->path().filename().string();
    if (name.ends_with(MapPathOf(std::string(kIndexSuffix)))) continue;
    if (name.ends_with(kIndexSuffix)) names.push_back(name.substr(0, name.size() - kIndexSuffix.size()));
    names.push_back(std::move(name));
  }
  std::sort(names.begin(), names.end());  // names at the same distance keep their order
  return names;
}

std::string Listed(const std::vector<std::string>& places) {
  std::string text;
  for (const std::string& place : places) text += StrCat(text.empty() ? "" : " or ", Printable(place));
  return text;
}

}  // namespace

bool PathExists(const std::string& path) {
  std::error_code error;
  return fs::exists(path, error);
}

bool IsKnown(const std::string& path) { return PathExists(path) || PathExists(StrCat(path, kIndexSuffix)); }

std::vector<std::string> NearestPaths(const std::string& path) {
  fs::path before;
  fs::path::iterator name;
  const fs::path whole = path;
  for (name = whole.begin(); name != whole.end() && IsKnown(before / *name); ++name) before /= *name;
  if (name == whole.end() || name->empty()) return {};
  fs::path after;
  for (auto rest = std::next(name); rest != whole.end(); ++rest) after /= *rest;
  std::vector<std::string> nearest;
  for (const std::string& near : NearestNames(name->string(), NamesIn(before))) {
    const fs::path meant = after.empty() ? before / near : before / near / after;
    if (IsKnown(meant)) nearest.push_back(meant.string());
  }
  return nearest;
}

Error NoSuchPath(const std::string& path) {
  const std::string meant = DidYouMean(NearestPaths(path), "'");
  return {.code = ErrorCode::kUsage,
          .message = StrCat(Printable(path), ": no such file or folder"),
          .hint = meant.empty() ? Hint("name a file or a folder that is there") : Hint(meant),
          .system = ENOENT};
}

Error NoIndex(const std::string& name, const std::vector<std::string>& places) {
  const bool is_index = name.ends_with(kIndexSuffix);
  const std::string data = is_index ? name.substr(0, name.size() - kIndexSuffix.size()) : name;
  if (PathExists(data)) {
    std::string message = StrCat(Printable(places.front()), ": there is no index");
    if (places.size() > 1) message += StrCat(", and there is none at ", Printable(places[1]), " either");
    std::string hint = StrCat("build it with `ofindex build ", PathWord(data, "DATA"), "`");
    // The folder is known if there are two places.
    if (!is_index && places.size() == 1) {
      hint += "; one that `ofindex build --index-dir DIR` wrote is found if OFINDEX_INDEX_DIR is DIR";
    }
    return {.code = ErrorCode::kNotFound, .message = std::move(message), .hint = std::move(hint)};
  }
  const std::string meant = DidYouMean(NearestPaths(name), "'");
  std::string message = is_index ? StrCat(Printable(name), ": there is no index, and no data ", Printable(data))
                                 : StrCat(Printable(name), ": no such file or folder, and no index ", Listed(places));
  return {.code = ErrorCode::kNotFound,
          .message = std::move(message),
          .hint = meant.empty() ? Hint("name an index, or the data that it is named after") : Hint(meant)};
}

std::string PathWord(const std::string& path, const std::string& otherwise) {
  if (path.empty() || Printable(path) != path) return otherwise;
  return ShellWord(path.front() == '-' || path.front() == '@' ? "./" + path : path);
}

}  // namespace ofindex
