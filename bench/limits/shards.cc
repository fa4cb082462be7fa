#include "bench/limits/shards.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace limits {
namespace {

Place Map(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat status;
  if (file < 0 || fstat(file, &status) != 0) Fail(path);
  const auto size = static_cast<uint64_t>(status.st_size);
  if (size == 0) return {nullptr, 0};
  void* const map = mmap(nullptr, size, PROT_READ, MAP_SHARED, file, 0);
  if (map == MAP_FAILED) Fail(path);
  close(file);
  return {static_cast<const uint8_t*>(map), size};
}

}  // namespace

std::string PlacesFolder(const std::string& folder) { return folder + ".places"; }

std::vector<ShardPaths> ShardsOf(const std::string& folder) {
  std::vector<ShardPaths> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    paths.push_back({entry.path().string(), PlacesFolder(folder) + "/" + entry.path().filename().string()});
  }
  std::sort(paths.begin(), paths.end(), [](const auto& a, const auto& b) { return a.shard < b.shard; });
  return paths;
}

std::vector<Place> MapRecords(const std::string& folder) {
  std::vector<Place> records;
  for (const ShardPaths& paths : ShardsOf(folder)) {
    const Place shard = Map(paths.shard);
    const Place places = Map(paths.places);
    for (uint64_t at = 0; at < places.size; at += 16) {
      uint64_t place[2];
      std::memcpy(place, places.data + at, sizeof place);
      records.push_back({shard.data + place[0], place[1]});
    }
  }
  return records;
}

void Fail(const std::string& path) {
  std::perror(path.c_str());
  std::exit(1);
}

}  // namespace limits
