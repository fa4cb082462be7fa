#include "index/finding/resolve_index.h"

#include <array>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/text.h"
#include "index/catalog/paths.h"
#include "index/finding/missing_paths.h"

namespace ofindex {
namespace {

// An index may have any name; shards never begin like this.
bool IsSqliteFile(const std::string& path) {
  const auto file = File::OpenRead(path);
  std::array<uint8_t, 16> head{};
  return file && file->ReadAt(0, head) && AsText(head).starts_with("SQLite format 3");
}

// Returns whether there is anything at `path`, or the system does not say so: then opening it gives the reason.
bool MayBeThere(const std::string& path) {
  std::error_code error;
  return std::filesystem::status(path, error).type() != std::filesystem::file_type::not_found;
}

}  // namespace

Result<std::string> ResolveIndex(const std::string& name) {
  if (name.ends_with(MapPathOf(std::string(kIndexSuffix)))) {
    const std::string index = name.substr(0, name.size() - kMapSuffix.size());
    return Fail(ErrorCode::kUsage, StrCat(Printable(name), ": the map of an index; expected the index"),
                StrCat("name ", Printable(index)));
  }
  if (IsSqliteFile(name)) return name;
  std::vector<std::string> places;
  if (name.ends_with(kIndexSuffix)) {
    places.push_back(name);
  } else {
    if (const std::string folder = IndexFolder(); !folder.empty()) {
      OFINDEX_ASSIGN(places.emplace_back(), IndexPathBelow(folder, name));
    }
    OFINDEX_ASSIGN(places.emplace_back(), IndexPathOf(name));
  }
  for (std::string& place : places) {
    if (MayBeThere(place)) return std::move(place);
  }
  return tl::unexpected(NoIndex(name, places));
}

}  // namespace ofindex
