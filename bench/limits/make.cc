#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "bench/limits/commands.h"
#include "bench/limits/crc32c.h"
#include "bench/limits/records.h"
#include "bench/limits/shards.h"

namespace limits {
namespace {

class Output {
 public:
  explicit Output(std::string path) : path_(std::move(path)), file_(std::fopen(path_.c_str(), "wb")) {
    if (file_ == nullptr) Fail(path_);
    std::setvbuf(file_, nullptr, _IOFBF, 1 << 20);
  }
  void Write(const void* bytes, size_t size) {
    if (std::fwrite(bytes, 1, size, file_) != size) Fail(path_);
  }
  void Close() {
    if (std::fclose(file_) != 0) Fail(path_);
  }

 private:
  std::string path_;
  std::FILE* file_;
};

void WriteShard(const ShardPaths& paths, uint64_t begin, uint64_t end, Composer& composer) {
  static const Crc32c crc32c;
  Output out(paths.shard);
  Output places(paths.places);
  uint64_t at = 0;
  for (uint64_t record = begin; record < end; ++record) {
    const std::string_view payload = composer.Compose(record);
    const uint64_t size = payload.size();
    const std::string_view size_bytes(reinterpret_cast<const char*>(&size), sizeof size);
    const uint32_t checks[] = {crc32c.Masked(size_bytes), crc32c.Masked(payload)};
    out.Write(&size, sizeof size);
    out.Write(&checks[0], 4);
    out.Write(payload.data(), size);
    out.Write(&checks[1], 4);
    const uint64_t place[] = {at + 12, size};
    places.Write(place, sizeof place);
    at += size + 16;
  }
  out.Close();
  places.Close();
}

uint64_t NumberIn(const char* word) { return std::strtoull(word, nullptr, 10); }

}  // namespace

int Make(Words words) {
  if (words.size() != 6) return 2;
  const std::string folder = words[0];
  const uint64_t shards = NumberIn(words[2]);
  const Recipe recipe{NumberIn(words[1]), NumberIn(words[3]), NumberIn(words[4]), std::strcmp(words[5], "sorted") == 0,
                      std::strcmp(words[5], "soft") == 0};
  std::filesystem::create_directories(folder);
  std::filesystem::create_directories(PlacesFolder(folder));
  Composer composer(recipe);
  for (uint64_t shard = 0; shard < shards; ++shard) {
    char name[32];
    std::snprintf(name, sizeof name, "part-%05u.tfrecord", static_cast<unsigned>(shard));
    WriteShard({folder + "/" + name, PlacesFolder(folder) + "/" + name}, recipe.records * shard / shards,
               recipe.records * (shard + 1) / shards, composer);
  }
  return 0;
}

}  // namespace limits
