#include "tools/help/first_records.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <system_error>
#include <utility>

#include "base/bytes.h"
#include "base/file.h"
#include "base/framing.h"
#include "base/result.h"
#include "base/text.h"
#include "index/columns/column.h"
#include "index/shards/detect.h"
#include "index/shards/record_sample.h"
#include "proto/features.h"

namespace ofindex {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxEntriesSeen = 1000;  // of folders
constexpr size_t kMaxFilesOpened = 8;
constexpr size_t kMaxFirstRecords = 100;
constexpr uint64_t kMaxFirstBytes = uint64_t{1} << 20;

// Returns the files that may be shards, in natural order: those that were seen first, if a folder has many.
std::vector<std::string> FilesOf(const std::string& data) {
  std::error_code error;
  if (!fs::is_directory(data, error)) return {data};
  std::vector<std::string> files;
  size_t seen = 0;
  for (fs::recursive_directory_iterator it(data, fs::directory_options::skip_permission_denied, error), end;
       !error && it != end && seen < kMaxEntriesSeen; it.increment(error), ++seen) {
    std::error_code ignored;
    const std::string name = it->path().filename().string();
    const bool hidden = name.starts_with('.') || name.starts_with('_');
    if (hidden && it->is_directory(ignored)) it.disable_recursion_pending();
    if (!hidden && it->is_regular_file(ignored)) files.push_back(it->path().string());
  }
  std::sort(files.begin(), files.end(), NaturalLess);
  return files;
}

/// The first bytes of a shard, inflated, and what it is.
struct ShardFront {
  Detection detection;
  std::vector<uint8_t> bytes;
};

Result<ShardFront> ReadFront(const std::string& path) {
  OFINDEX_ASSIGN(const File file, File::OpenRead(path));
  OFINDEX_ASSIGN(const FileFacts facts, file.Facts());
  ShardFront front;
  OFINDEX_ASSIGN(front.detection, DetectShard(file, facts.size, {}));
  if (front.detection.compression != Compression::kNone) {
    OFINDEX_ASSIGN(InflatedFront inflated, InflateFront(file, facts.size, front.detection.compression, kMaxFirstBytes));
    front.bytes = std::move(inflated.bytes);
    return front;
  }
  front.bytes.resize(std::min(facts.size, kMaxFirstBytes));
  OFINDEX_ASSIGN(const size_t got, file.ReadAt(0, front.bytes));
  front.bytes.resize(got);
  return front;
}

// Adds the kinds of each feature of `payload`; nothing if it is not a message.
void AddFeatures(ByteView payload, PayloadKind kind, DecodedRecord& decoded, std::map<std::string, uint8_t>& kinds) {
  if (!decoded.Decode(payload, kind)) return;
  const auto add = [&](const std::string& name, FeatureKind kind_of_value) {
    uint8_t& bits = kinds[name];
    bits = static_cast<uint8_t>(bits | BitOf(kind_of_value));
  };
  for (const Feature& feature : decoded.features()) add(std::string(AsText(feature.name)), feature.value.kind);
  for (const FeatureList& list : decoded.feature_lists()) {
    for (const FeatureValue& step : decoded.steps(list)) add(StrCat(AsText(list.name), "[]"), step.kind);
  }
}

// Returns the kinds of each feature in the whole records of `front`.
std::map<std::string, uint8_t> KindsIn(const ShardFront& front) {
  std::map<std::string, uint8_t> kinds;
  const Framing framing = front.detection.framing;
  const ByteView bytes = front.bytes;
  DecodedRecord decoded;
  uint64_t at = 0;
  for (size_t record = 0; record < kMaxFirstRecords && Fits(at, HeaderBytes(framing), bytes.size()); ++record) {
    const uint64_t length = LoadLe64(bytes.data() + at);
    const uint64_t begin = at + HeaderBytes(framing);
    if (!Fits(begin, length, bytes.size())) break;
    AddFeatures(bytes.subspan(begin, length), front.detection.payload, decoded, kinds);
    at = begin + length + FooterBytes(framing);
  }
  return kinds;
}

}  // namespace

std::vector<IndexName> FeaturesOfFirstRecords(const std::string& data) {
  std::map<std::string, uint8_t> kinds;
  size_t opened = 0;
  for (const std::string& path : FilesOf(data)) {
    if (opened++ == kMaxFilesOpened || !kinds.empty()) break;
    const Result<ShardFront> front = ReadFront(path);
    if (front && front->detection.verdict == Detection::Verdict::kRecords) kinds = KindsIn(*front);
  }
  std::vector<IndexName> names;
  for (const auto& [name, bits] : kinds) names.push_back({name, KindNames(bits)});
  return names;
}

}  // namespace ofindex
