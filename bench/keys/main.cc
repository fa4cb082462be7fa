// Measures keys: `ofindex_keys_bench FOLDER RECORDS` on a dataset that it makes in FOLDER, and
// `ofindex_keys_bench --open FILE ENTRIES` on a key file without a dataset.

#include <time.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "base/threads.h"
#include "index/build/builder.h"
#include "index/build/key_set.h"
#include "index/keys/key_writer.h"
#include "index/writing/record_framing.h"
#include "query/dataset.h"
#include "query/keys/key_lookup.h"

namespace ofindex {
namespace {

constexpr uint64_t kLookups = 2'000'000;
constexpr size_t kBatch = 4096;

// Returns the processor time of this thread, which other work on the machine does not add to.
double ProcessorSeconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

double Seconds(const std::chrono::steady_clock::time_point& since) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - since).count();
}

template <typename T>
T Need(Result<T> result) {
  if (!result) {
    std::fprintf(stderr, "%s\n", result.error().message.c_str());
    std::exit(1);
  }
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

std::string NameOf(uint64_t record) {
  char name[32];
  std::snprintf(name, sizeof name, "image_%012llu.jpg", static_cast<unsigned long long>(record));
  return name;
}

// Returns an Example with the feature "name" alone: 40 bytes.
std::string ExampleOf(const std::string& name) {
  const auto field = [](char number, const std::string& content) {
    return std::string{static_cast<char>(number << 3 | 2), static_cast<char>(content.size())} + content;
  };
  return field(1, field(1, field(1, "name") + field(2, field(1, field(1, name)))));
}

void MakeShards(const std::string& folder, uint64_t records) {
  constexpr uint64_t kShards = 8;
  std::filesystem::create_directories(folder);
  RunOnThreads(2, [&, next = std::make_shared<std::atomic<uint64_t>>(0)](unsigned) {
    for (uint64_t shard = (*next)++; shard < kShards; shard = (*next)++) {
      OutputFile out = Need(OutputFile::Create(StrCat(folder, "/part-", shard)));
      for (uint64_t i = records * shard / kShards; i < records * (shard + 1) / kShards; ++i) {
        const std::string payload = ExampleOf(NameOf(i));
        const RecordFraming framing(Framing::kTfRecord, AsBytes(payload));
        Need(out.Append(framing.header()));
        Need(out.Append(AsBytes(payload)));
        Need(out.Append(framing.footer()));
      }
      Need(out.Flush());
    }
  });
}

void Look(const KeyLookup& lookup, uint64_t records) {
  std::mt19937_64 random(1);
  std::vector<std::string> names(kBatch);
  std::vector<LookupKey> keys;
  std::vector<uint64_t> found(kBatch);
  double seconds = 0;
  double processor_seconds = 0;
  for (uint64_t done = 0; done < kLookups; done += kBatch) {
    keys.clear();
    std::vector<uint64_t> wanted(kBatch);
    for (size_t i = 0; i < kBatch; ++i) {
      wanted[i] = random() % records;
      names[i] = NameOf(wanted[i]);
    }
    for (const std::string& name : names) keys.emplace_back(AsBytes(name));
    const auto begin = std::chrono::steady_clock::now();
    const double processor_begin = ProcessorSeconds();
    Need(lookup.Find(keys, found));
    processor_seconds += ProcessorSeconds() - processor_begin;
    seconds += Seconds(begin);
    if (found != wanted) std::exit(1);
  }
  const double millions = static_cast<double>(kLookups) / 1e6;
  std::printf("%.2f million random lookups a second on one thread; %.2f per second of processor time\n",
              millions / seconds, millions / processor_seconds);
}

int Measure(const std::string& folder, uint64_t records) {
  const std::string index = folder + ".ofidx";
  Progress progress;
  if (!std::filesystem::exists(folder)) MakeShards(folder, records);
  BuildOptions build;
  build.data = {folder};
  Need(BuildIndex(build, progress));
  const auto begin = std::chrono::steady_clock::now();
  const KeyReport report = Need(MakeKey(index, {.name = "name"}, progress));
  std::printf("made in %.2f s: %.2f bytes a record\n", Seconds(begin),
              static_cast<double>(report.bytes) / static_cast<double>(records));
  const auto dataset = std::make_shared<const Dataset>(Need(Dataset::Open(index)));
  const std::shared_ptr<const RecordReader> reader(dataset, &dataset->reader());
  const KeyLookup lookup = Need(KeyLookup::Open(dataset->snapshot()->index(), Need(ReaderSource::Of(reader)), "name"));
  for (int round = 0; round < 3; ++round) Look(lookup, records);
  return 0;
}

int MeasureOpening(const std::string& path, uint64_t entries) {
  if (!std::filesystem::exists(path)) {
    std::mt19937_64 random(1);
    KeyWriter writer = Need(KeyWriter::Begin(Need(OutputFile::Create(path)), LayoutFor(entries, entries)));
    writer.facts().name = "name";
    writer.facts().has_bytes = true;
    writer.facts().records = entries;
    const uint64_t step = UINT64_MAX / entries;
    for (uint64_t i = 0; i < entries; ++i) Need(writer.Add({i * step + random() % step, random() % entries}));
    Need(writer.Finish(KeyKind("INDEX", "name"), {}));
  }
  constexpr int kRounds = 20;
  const auto begin = std::chrono::steady_clock::now();
  for (int round = 0; round < kRounds; ++round) {
    const KeyFile file = Need(KeyFile::OpenAt(path, "INDEX"));
    if (file.facts().entries != entries) return 1;
  }
  std::printf("%llu entries, %.2f bytes each: opened in %.3f ms\n", static_cast<unsigned long long>(entries),
              static_cast<double>(std::filesystem::file_size(path)) / static_cast<double>(entries),
              Seconds(begin) / kRounds * 1000);
  return 0;
}

}  // namespace
}  // namespace ofindex

int main(int argc, char** argv) {
  const std::string first = argc > 1 ? argv[1] : "";
  if (argc == 3) return ofindex::Measure(first, std::strtoull(argv[2], nullptr, 10));
  if (argc == 4 && first == "--open") return ofindex::MeasureOpening(argv[2], std::strtoull(argv[3], nullptr, 10));
  std::fprintf(stderr, "usage: ofindex_keys_bench FOLDER RECORDS | --open FILE ENTRIES\n");
  return 2;
}
