#include "bench/pairs/input/example_data.h"

#include <array>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/bytes.h"
#include "base/file.h"
#include "base/text.h"
#include "index/writing/record_writer.h"

namespace ofindex {
namespace {

constexpr uint64_t kExampleRecords = 4'000'000;
constexpr uint64_t kRandomNumbers = 4;  // per record
constexpr LengthRange kPixels{64, 2048};

// Wire types of a tag, and the Feature fields for lists of each kind (proto/example.proto).
constexpr uint8_t kLengthDelimited = 2;
constexpr uint32_t kBytesList = 1;
constexpr uint32_t kFloatList = 2;
constexpr uint32_t kInt64List = 3;

void AppendVarint(std::vector<uint8_t>& out, uint64_t value) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<uint8_t>(value | 0x80));
  out.push_back(static_cast<uint8_t>(value));
}

void AppendField(std::vector<uint8_t>& out, uint32_t number, ByteView content) {
  AppendVarint(out, number << 3 | kLengthDelimited);
  AppendVarint(out, content.size());
  out.insert(out.end(), content.begin(), content.end());
}

/// Writes Examples without libprotobuf, which chooses the order of a map itself and takes minutes for this.
class ExampleWriter {
 public:
  void Begin() { features_.clear(); }

  void AddInt64(std::string_view name, uint64_t value) {
    packed_.clear();
    AppendVarint(packed_, value);
    Add(name, kInt64List, packed_);
  }

  void AddFloat(std::string_view name, float value) {
    packed_.resize(sizeof value);
    std::memcpy(packed_.data(), &value, sizeof value);
    Add(name, kFloatList, packed_);
  }

  void AddBytes(std::string_view name, std::string_view value) { Add(name, kBytesList, AsBytes(value)); }

  // Returns the Example, valid until the next Begin.
  [[nodiscard]] ByteView End() {
    example_.clear();
    AppendField(example_, 1, features_);
    return example_;
  }

 private:
  void Add(std::string_view name, uint32_t kind, ByteView values) {
    list_.clear();
    AppendField(list_, 1, values);
    feature_.clear();
    AppendField(feature_, kind, list_);
    entry_.clear();
    AppendField(entry_, 1, AsBytes(name));
    AppendField(entry_, 2, feature_);
    AppendField(features_, 1, entry_);
  }

  std::vector<uint8_t> packed_, list_, feature_, entry_, features_, example_;
};

// Chooses an octave of labels, all octaves with equal probability, and then a label in that octave.
uint64_t LabelOf(uint64_t noise) {
  const uint64_t octave = uint64_t{1} << noise % 10;
  return (octave - 1 + (noise >> 8) % octave) % 1000;
}

ByteView Compose(uint64_t record, ExampleWriter& writer) {
  const auto noise = [record](uint64_t k) { return Noise(record * kRandomNumbers + k); };
  const uint64_t label = LabelOf(noise(0));
  std::array<char, 64> name;
  const int name_bytes = std::snprintf(name.data(), name.size(), "imagenet/train/class_%04u/img_%08u.jpg",
                                       static_cast<unsigned>(label), static_cast<unsigned>(record));
  writer.Begin();
  writer.AddInt64("label", label);
  writer.AddInt64("height", kPixels.Of(record * kRandomNumbers + 1));
  writer.AddInt64("width", kPixels.Of(record * kRandomNumbers + 2));
  writer.AddInt64("id", record);
  writer.AddFloat("score", static_cast<float>(noise(3) >> 40) * 0x1p-24F);
  writer.AddBytes("name", {name.data(), static_cast<size_t>(name_bytes)});
  return writer.End();
}

Result<void> WriteShard(const std::string& path, uint64_t first_record, uint64_t records) {
  OFINDEX_ASSIGN(RecordWriter out, RecordWriter::Create(path, Framing::kTfRecord));
  ExampleWriter writer;
  for (uint64_t record = first_record; record < first_record + records; ++record) {
    OFINDEX_TRY(out.Write(Compose(record, writer)));
  }
  return out.Close();
}

}  // namespace

Result<DataSet> ImageRecords(uint64_t shards) {
  DataSet data;
  data.folder = StrCat(DataFolder(), "/images-", kExampleRecords, shards == 8 ? std::string() : StrCat("-in-", shards));
  data.records = kExampleRecords;
  std::error_code error;
  std::filesystem::create_directories(data.folder, error);
  if (error) return tl::unexpected(SystemError(data.folder, "cannot make the folder", error.value()));
  for (uint64_t i = 0; i < shards; ++i) {
    data.shards.push_back(StrCat(data.folder, "/part-", i, ".tfrecord"));
    const std::string& path = data.shards.back();
    if (StatFile(path)) continue;
    if (i == 0) std::fprintf(stderr, "Writing %s.\n", data.folder.c_str());
    OFINDEX_TRY(WriteShard(path, i * kExampleRecords / shards, kExampleRecords / shards));
  }
  return data;
}

}  // namespace ofindex
