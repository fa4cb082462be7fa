#include "index/finding/resolve_index.h"

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
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

// Returns the paths at which the index that `name` means may be, the best one first.
Result<std::vector<std::string>> PlacesOf(const std::string& name) {
  if (name.ends_with(MapPathOf(std::string(kIndexSuffix)))) {
    const std::string index = name.substr(0, name.size() - kMapSuffix.size());
    return Fail(ErrorCode::kUsage, StrCat(Printable(name), ": the map of an index; expected the index"),
                StrCat("name ", Printable(index)));
  }
  if (name.ends_with(kIndexSuffix) || IsSqliteFile(name)) return std::vector{name};
  std::vector<std::string> places;
  if (const std::string folder = IndexFolder(); !folder.empty()) {
    OFINDEX_ASSIGN(places.emplace_back(), IndexPathBelow(folder, name));
  }
  OFINDEX_ASSIGN(places.emplace_back(), IndexPathOf(name));
  return places;
}

// Returns the first place where there is something, or else the first that is out of reach: opening it gives the
// reason. Errors: kIo if the system does not say of another place whether something is there.
Result<std::optional<std::string>> Occupied(const std::vector<std::string>& places) {
  std::optional<std::string> closed;
  std::optional<Error> failed;
  for (const std::string& place : places) {
    std::error_code error;
    const std::filesystem::file_type type = std::filesystem::status(place, error).type();
    if (type == std::filesystem::file_type::not_found || error == std::errc::filename_too_long) continue;
    if (type != std::filesystem::file_type::none) return place;
    if (!IsOutOfReach(error.value()) && !failed) failed = SystemError(place, "cannot stat", error.value());
    if (IsOutOfReach(error.value()) && !closed) closed = place;
  }
  if (failed) return tl::unexpected(*std::move(failed));
  return closed;
}

}  // namespace

Result<std::optional<std::string>> FindIndex(const std::string& name) {
  OFINDEX_ASSIGN(const std::vector<std::string> places, PlacesOf(name));
  return Occupied(places);
}

Result<std::string> ResolveIndex(const std::string& name) {
  OFINDEX_ASSIGN(const std::vector<std::string> places, PlacesOf(name));
  OFINDEX_ASSIGN(std::optional<std::string> place, Occupied(places));
  if (place) return *std::move(place);
  return tl::unexpected(NoIndex(name, places));
}

}  // namespace ofindex
