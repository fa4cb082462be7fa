// Measures the speed of writing: `ofindex pack` of JSON lines compared with the JSON parser alone, `ofindex convert`
// compared with a copy of the same file. Both are whole commands, from start to exit. They write to memory if there is
// a /dev/shm: the time that a disk takes to sync is not to be measured.

#include <benchmark/benchmark.h>
#include <simdjson.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/output_file.h"
#include "base/text.h"
#include "bench/pairs/input/data.h"
#include "bench/pairs/pair.h"
#include "index/output/atomic_file.h"
#include "index/writing/record_writer.h"
#include "proto/encode/payload_builder.h"

namespace ofindex {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kRows = 2'000'000;
constexpr uint64_t kImages = 6'000;
constexpr LengthRange kImageBytes{70'000, 150'000};

// Returns lines such as {"id": 17, "label": 7, "score": 0.4301, "name": "user17", "ok": true}.
Result<std::string> Rows() {
  const std::string path = StrCat(MemoryFolder(), "/rows-", kRows, ".jsonl");
  if (StatFile(path)) return path;
  OFINDEX_ASSIGN(AtomicFile temporary, AtomicFile::Begin(path, AtomicFile::IfLocked::kFail));
  OFINDEX_ASSIGN(OutputFile out, temporary.Open());
  std::array<char, 160> line{};
  for (uint64_t i = 0; i < kRows; ++i) {
    const int size =
        std::snprintf(line.data(), line.size(),
                      "{\"id\": %llu, \"label\": %llu, \"score\": %.4f, \"name\": \"user%llu\", \"ok\": %s}\n",
                      static_cast<unsigned long long>(i), static_cast<unsigned long long>(i % 10),
                      static_cast<double>(Noise(i) % 10000) / 10000, static_cast<unsigned long long>(i % 1000),
                      i % 3 == 0 ? "true" : "false");
    OFINDEX_TRY(out.Append(AsBytes(std::string_view(line.data(), static_cast<size_t>(size)))));
  }
  OFINDEX_TRY(out.Flush());
  OFINDEX_TRY(temporary.Publish(AtomicFile::Durability::kCached));
  return path;
}

// Makes OFRecords of a label and an image of about 110 KB.
Result<std::string> Images() {
  const std::string path = StrCat(MemoryFolder(), "/images-", kImages, ".ofrecord");
  if (StatFile(path)) return path;
  std::vector<uint8_t> noise(uint64_t{1} << 20);
  for (size_t i = 0; i < noise.size(); i += 8) StoreLe64(noise.data() + i, Noise(i));
  OFINDEX_ASSIGN(RecordWriter writer, RecordWriter::Create(path, Framing::kOfRecord));
  PayloadBuilder builder(PayloadKind::kOfRecord);
  for (uint64_t i = 0; i < kImages; ++i) {
    const ByteView image = ByteView(noise).subspan(Noise(~i) % 8192, kImageBytes.Of(i));
    const auto label = static_cast<int64_t>(i % 1000);
    builder.Clear();
    OFINDEX_TRY(builder.Add(AsBytes("image"), FeatureData::Bytes(std::span(&image, 1))));
    OFINDEX_TRY(builder.Add(AsBytes("label"), FeatureData::Int64s(std::span(&label, 1))));
    OFINDEX_ASSIGN(const ByteView payload, builder.Finish());
    OFINDEX_TRY(writer.Write(payload));
  }
  OFINDEX_TRY(writer.Close());
  return path;
}

Result<uint64_t> Run(const std::string& arguments, uint64_t records) {
  const std::string command = StrCat("'", OFINDEX_COMMAND, "' ", arguments, " --quiet --force");
  if (std::system(command.c_str()) != 0) return Fail(ErrorCode::kIo, "the command failed: " + command);
  return records;
}

// Parses every value of every line; text is split and parsed in pieces that stay in cache.
Result<uint64_t> ParseAlone(const std::string& path) {
  OFINDEX_ASSIGN(const File file, File::OpenRead(path));
  std::vector<uint8_t> piece((size_t{1} << 20) + simdjson::SIMDJSON_PADDING);
  simdjson::dom::parser parser;
  uint64_t rows = 0;
  uint64_t values = 0;
  for (uint64_t at = 0;;) {
    OFINDEX_ASSIGN(const size_t got, file.ReadAt(at, std::span(piece).first(size_t{1} << 20)));
    std::string_view text(reinterpret_cast<const char*>(piece.data()), got);
    text = text.substr(0, text.rfind('\n') + 1);
    if (text.empty()) break;
    at += text.size();
    while (!text.empty()) {
      const size_t end = text.find('\n');
      for (const auto member : simdjson::dom::object(parser.parse(text.data(), end, false))) {
        values += static_cast<uint64_t>(member.value.type());
      }
      ++rows;
      text.remove_prefix(end + 1);
    }
  }
  benchmark::DoNotOptimize(values);
  return rows;
}

Result<uint64_t> Copy(const std::string& from, const std::string& to, uint64_t records) {
  OFINDEX_ASSIGN(const File file, File::OpenRead(from));
  OFINDEX_ASSIGN(OutputFile out, OutputFile::Create(to));
  std::vector<uint8_t> piece(size_t{1} << 20);
  for (uint64_t at = 0;;) {
    OFINDEX_ASSIGN(const size_t got, file.ReadAt(at, piece));
    if (got == 0) break;
    OFINDEX_TRY(out.Append(ByteView(piece).first(got)));
    at += got;
  }
  OFINDEX_TRY(out.Flush());
  return records;
}

// Reports the median of some runs of `work`, whose `amount` is in `unit` per second.
void MeasureRate(benchmark::State& state, const BenchClaim& claim, double amount, const Work& work) {
  std::vector<double> seconds;
  for (auto _ : state) {
    uint64_t sum = 0;
    const auto took = Time(work, sum);
    if (!took) return Stop(state, took.error());
    state.SetIterationTime(*took);
    seconds.push_back(*took);
  }
  Report(claim, amount / Median(seconds));
}

void PackRows(benchmark::State& state) {
  const auto rows = Rows();
  if (!rows) return Stop(state, rows.error());
  const std::string arguments = StrCat("pack ", *rows, " --to tfrecord -o ", MemoryFolder(), "/packed.tfrecord");
  Measure(state, {.claim = {"pack, JSON lines of 5 fields / the parser alone", BenchClaim::Bound::kAtLeast, 1 / 1.5},
                  .records = kRows,
                  .ours = [&] { return Run(arguments, kRows); },
                  .bare = [&] { return ParseAlone(*rows); }});
}

void PackRowsRate(benchmark::State& state) {
  const auto rows = Rows();
  if (!rows) return Stop(state, rows.error());
  const std::string arguments = StrCat("pack ", *rows, " --to tfrecord -o ", MemoryFolder(), "/packed.tfrecord");
  MeasureRate(state, {"pack, JSON lines of 5 fields", BenchClaim::Bound::kAtLeast, 1, "M records/s"}, kRows / 1e6,
              [&] { return Run(arguments, kRows); });
}

void ConvertImages(benchmark::State& state) {
  const auto images = Images();
  if (!images) return Stop(state, images.error());
  if (const auto built = Run("build " + *images, 0); !built) return Stop(state, built.error());
  const std::string out = MemoryFolder() + "/converted.tfrecord";
  Measure(state, {.claim = {"convert, 110 KB OFRecords to Examples, warm / a copy", BenchClaim::Bound::kNone},
                  .records = kImages,
                  .ours = [&] { return Run(StrCat("convert ", *images, " --to tfrecord -o ", out), kImages); },
                  .bare = [&] { return Copy(*images, out + ".copy", kImages); }});
}

void ConvertImagesRate(benchmark::State& state) {
  const auto images = Images();
  if (!images) return Stop(state, images.error());
  const auto facts = StatFile(*images);
  if (!facts) return Stop(state, facts.error());
  if (const auto built = Run("build " + *images, 0); !built) return Stop(state, built.error());
  const std::string out = MemoryFolder() + "/converted.tfrecord";
  MeasureRate(state, {"convert, 110 KB OFRecords to Examples, warm", BenchClaim::Bound::kAtLeast, 1, "GB/s"},
              static_cast<double>(facts->size) / 1e9,
              [&] { return Run(StrCat("convert ", *images, " --to tfrecord -o ", out), kImages); });
}

BENCHMARK(PackRows)->Name("writing/pack/ratio")->Iterations(7)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(PackRowsRate)->Name("writing/pack/rate")->Iterations(5)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(ConvertImages)->Name("writing/convert/ratio")->Iterations(7)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(ConvertImagesRate)
    ->Name("writing/convert/rate")
    ->Iterations(5)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace ofindex
