#include "fuzz/index/small_dataset.h"

#include <stdlib.h>
#include <sys/stat.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "base/output_file.h"
#include "fuzz/expect.h"
#include "index/build/builder.h"
#include "index/writing/gzip_stream.h"
#include "proto/encode/payload_builder.h"
#include "tests/support/shard_bytes.h"

namespace ofindex {
namespace {

constexpr int kShards = 3;
constexpr uint64_t kShardRecords = SmallDataset::kRecords / kShards;

// Returns an Example. Every 10th has no score, or NaN, and every third a list.
std::string SmallPayload(uint64_t record) {
  PayloadBuilder builder(PayloadKind::kExample);
  const auto add = [&](std::string_view name, const FeatureData& values) {
    Expect(builder.Add(AsBytes(name), values).has_value(), "an Example cannot be built");
  };
  const std::string name = StrCat("image ", record);
  const std::string raw = StrCat("\xff\xd8\xff", record % 4);
  const std::vector<ByteView> names = {AsBytes(name)};
  const std::vector<ByteView> raws = {AsBytes(raw)};
  const std::vector<int64_t> labels = {static_cast<int64_t>(record % 7) - 1};
  const std::vector<int64_t> boxes(record % 5, static_cast<int64_t>(record));
  const std::vector<float> scores = {record % 20 == 0 ? NAN : static_cast<float>(record) / 4};
  if (record % 3 == 0) add("boxes", FeatureData::Int64s(boxes));
  add("label", FeatureData::Int64s(labels));
  add("name", FeatureData::Bytes(names));
  if (record % 2 == 0) add("raw", FeatureData::Bytes(raws));
  if (record % 10 != 5) add("score", FeatureData::Floats(scores));
  const Result<ByteView> payload = builder.Finish();
  Expect(payload.has_value(), "an Example cannot be built");
  return std::string(AsText(*payload));
}

void WriteBytes(const std::string& path, const std::string& bytes, bool gzip) {
  Result<OutputFile> out = OutputFile::Create(path);
  Expect(out.has_value(), "no file can be made in ", path);
  if (gzip) {
    GzipStream stream;
    Expect(stream.Append(AsBytes(bytes), *out).has_value() && stream.Finish(*out).has_value(), "gzip fails");
  } else {
    Expect(out->Append(AsBytes(bytes)).has_value(), "no bytes can be written");
  }
  Expect(out->Flush().has_value(), "no bytes can be written");
}

// The times of a file are in the index, which shall be the same each time.
void SetTimes(const std::string& path) {
  const timespec times[2] = {{.tv_sec = 1'700'000'000, .tv_nsec = 0}, {.tv_sec = 1'700'000'000, .tv_nsec = 0}};
  Expect(::utimensat(AT_FDCWD, path.c_str(), times, 0) == 0, "the times of a file cannot be set");
}

}  // namespace

const SmallDataset& SmallDataset::Get() {
  static const SmallDataset dataset;
  return dataset;
}

SmallDataset::SmallDataset() : folder_(std::filesystem::temp_directory_path() / "ofindex-fuzz-XXXXXX") {
  Expect(::mkdtemp(folder_.data()) != nullptr, "no folder can be made in TMPDIR");
  WriteShards();
  Progress progress;
  BuildOptions options;
  options.data = {data()};
  options.verify = true;
  options.threads = 1;
  options.inflate.checkpoint_bytes = 512;
  options.columns =
      ColumnChoice{.mode = ColumnChoice::Mode::kNamed, .names = {"boxes", "label", "name", "raw", "score"}};
  options.durability = AtomicFile::Durability::kCached;
  const Result<BuildReport> report = BuildIndex(options, progress);
  Expect(report.has_value(), "the index cannot be built: ", report ? "" : report.error().message);
  Result<Dataset> dataset = Dataset::Open(index(), {.allow_bad = true}, progress, {.columns = {.threads = 1}});
  Expect(dataset.has_value() && dataset->size() == kRecords, "the index cannot be opened");
  open_ = std::make_unique<Dataset>(std::move(*dataset));
  columns_ = open_->snapshot()->Columns().value();
}

SmallDataset::~SmallDataset() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

void SmallDataset::WriteShards() {
  std::filesystem::create_directory(data());
  for (uint64_t shard = 0; shard < kShards; ++shard) {
    std::vector<std::string> payloads;
    for (uint64_t i = 0; i < kShardRecords; ++i) payloads.push_back(SmallPayload(shard * kShardRecords + i));
    std::string bytes = ShardBytes(Framing::kTfRecord, payloads);
    if (shard == 1) bytes += "torn";
    if (shard == 2) bytes.back() = static_cast<char>(bytes.back() ^ 1);
    const std::string path = StrCat(data(), "/part-", shard);
    WriteBytes(path, bytes, shard == 0);
    SetTimes(path);
    bytes_ += bytes;
    payloads_.insert(payloads_.end(), payloads.begin(), payloads.end());
  }
}

}  // namespace ofindex
