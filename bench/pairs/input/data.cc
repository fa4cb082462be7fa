#include "bench/pairs/input/data.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <numeric>
#include <random>
#include <system_error>

#include "base/bytes.h"
#include "base/file.h"
#include "base/text.h"
#include "index/writing/record_writer.h"

namespace ofindex {
namespace {

namespace fs = std::filesystem;

struct Recipe {
  const char* name;
  uint64_t records;
  uint64_t shards;
  LengthRange lengths;
};

constexpr Recipe kSmall{"small", 4'000'000, 8, {250, 450}};

// Random bytes; each payload is a slice of them.
std::vector<uint8_t> RandomBytes(uint64_t n) {
  std::vector<uint8_t> bytes(n);
  for (uint64_t i = 0; i + 8 <= n; i += 8) StoreLe64(bytes.data() + i, Noise(i));
  return bytes;
}

Result<void> WriteShard(const std::string& path, uint64_t first_record, uint64_t records, const LengthRange& lengths) {
  const std::vector<uint8_t> noise = RandomBytes(uint64_t{16} << 20);
  OFINDEX_ASSIGN(RecordWriter writer, RecordWriter::Create(path, Framing::kTfRecord));
  for (uint64_t record = first_record; record < first_record + records; ++record) {
    const uint64_t length = lengths.Of(record);
    const uint64_t at = Noise(~record) % (noise.size() - length);
    OFINDEX_TRY(writer.Write(ByteView(noise).subspan(at, length)));
  }
  return writer.Close();
}

// The name encodes how the data were generated, so that data generated in another way are not mistaken for them.
std::string FolderFor(const Recipe& recipe) {
  return StrCat(DataFolder(), "/", recipe.name, "-", recipe.records, "x", recipe.lengths.min, "-", recipe.lengths.max);
}

Result<DataSet> Make(const Recipe& recipe) {
  DataSet data;
  data.folder = FolderFor(recipe);
  data.records = recipe.records;
  std::error_code error;
  fs::create_directories(data.folder, error);
  if (error) return tl::unexpected(SystemError(data.folder, "cannot make the folder", error.value()));
  const uint64_t each = recipe.records / recipe.shards;
  for (uint64_t i = 0; i < recipe.shards; ++i) {
    data.shards.push_back(StrCat(data.folder, "/part-", i, ".tfrecord"));
    const std::string& path = data.shards.back();
    if (StatFile(path)) continue;
    if (i == 0) std::fprintf(stderr, "Writing %s.\n", data.folder.c_str());
    OFINDEX_TRY(WriteShard(path, i * each, each, recipe.lengths));
  }
  return data;
}

}  // namespace

std::string DataFolder() {
  if (const char* folder = std::getenv("OFINDEX_BENCH_DATA"); folder != nullptr && *folder != '\0') return folder;
  std::error_code error;
  return (fs::read_symlink("/proc/self/exe", error).parent_path() / "bench-data").string();
}

std::string MemoryFolder() {
  std::error_code error;
  const std::string folder = fs::is_directory("/dev/shm", error) ? "/dev/shm/ofindex-bench" : DataFolder() + "/memory";
  fs::create_directories(folder, error);
  return folder;
}

void RemoveMemoryFolder() {
  std::error_code error;
  fs::remove_all(MemoryFolder(), error);
}

Result<DataSet> SmallRecords() { return Make(kSmall); }

std::vector<uint64_t> ShuffledOrdinals(uint64_t records) {
  std::vector<uint64_t> ordinals(records);
  std::iota(ordinals.begin(), ordinals.end(), uint64_t{0});
  std::shuffle(ordinals.begin(), ordinals.end(), std::mt19937_64(1));
  return ordinals;
}

}  // namespace ofindex
