#include "bench/pairs/child_tasks.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "bench/pairs/input/data.h"
#include "bench/pairs/memory_facts.h"
#include "index/build/builder.h"
#include "index/catalog/paths.h"
#include "index/merge/merger.h"
#include "index/update/updater.h"
#include "query/dataset.h"

namespace ofindex {
namespace {

constexpr uint64_t kRandomPlaces = 1'000'000;
constexpr uint64_t kGroup = 1000;

void Print(uint64_t number) {
  std::printf("%llu\n", static_cast<unsigned long long>(number));
  std::fflush(stdout);
}

void WaitForLine() { static_cast<void>(std::getchar()); }

Result<void> Get(const std::string& index, uint64_t ordinal) {
  const auto begin = std::chrono::steady_clock::now();
  OFINDEX_ASSIGN(const Dataset dataset, Dataset::Open(index));
  std::vector<uint8_t> record;
  OFINDEX_TRY(dataset.reader().Copy(ordinal, record));
  Print(static_cast<uint64_t>(std::chrono::nanoseconds(std::chrono::steady_clock::now() - begin).count()));
  return {};
}

// Finds a record in every block, and then as many random records as one worker reads in an epoch.
Result<void> FindAllOver(const OffsetMap& map) {
  std::vector<uint64_t> ordinals;
  for (uint64_t ordinal = 0; ordinal < map.records(); ordinal += kBlockRecords) ordinals.push_back(ordinal);
  std::vector<OffsetMap::Place> places(ordinals.size());
  OFINDEX_TRY(map.Find(ordinals, places));
  ordinals.resize(kGroup);
  places.resize(kGroup);
  for (uint64_t i = 0; i < kRandomPlaces; i += kGroup) {
    for (uint64_t k = 0; k < kGroup; ++k) ordinals[k] = Noise(i + k) % map.records();
    OFINDEX_TRY(map.Find(ordinals, places));
  }
  return {};
}

Result<void> Share(const std::string& index) {
  OFINDEX_ASSIGN(const uint64_t before, PrivateBytes());
  OFINDEX_ASSIGN(const Dataset dataset, Dataset::Open(index));
  OFINDEX_TRY(FindAllOver(dataset.reader().map()));
  OFINDEX_ASSIGN(const uint64_t after, PrivateBytes());
  Print(after - before);
  WaitForLine();
  OFINDEX_ASSIGN(const uint64_t share, ShareOfFile(MapPathOf(index)));
  Print(share);
  WaitForLine();
  return {};
}

// Prints the nanoseconds that `work` takes, and the peak memory of this process.
Result<void> PrintCosts(const std::function<Result<uint64_t>()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  OFINDEX_TRY(work());
  Print(static_cast<uint64_t>(std::chrono::nanoseconds(std::chrono::steady_clock::now() - begin).count()));
  OFINDEX_ASSIGN(const uint64_t peak, PeakBytes());
  Print(peak);
  return {};
}

Result<void> RunTask(std::span<char*> words) {
  const std::string_view task = words.empty() ? "" : words[0];
  if (task == "get" && words.size() == 3) return Get(words[1], std::strtoull(words[2], nullptr, 10));
  if (task == "share" && words.size() == 2) return Share(words[1]);
  if (task == "merge" && words.size() > 2) {
    return PrintCosts([&] { return MergeInto({words.begin() + 2, words.end()}, words[1]); });
  }
  if (task == "update" && words.size() > 2) {
    return PrintCosts([&] { return Update(words[1], {words.begin() + 2, words.end()}); });
  }
  return Fail(ErrorCode::kUsage, StrCat("no such task: ", task));
}

}  // namespace

Result<uint64_t> Rebuild(const std::string& folder, const std::string& columns) {
  BuildOptions options;
  OFINDEX_ASSIGN(options.columns, ColumnChoice::Parse(columns));
  options.data = {folder};
  options.force = true;
  Progress progress;
  OFINDEX_ASSIGN(const BuildReport report, BuildIndex(options, progress));
  return report.facts.records;
}

Result<uint64_t> BuildPart(const std::string& folder, const std::string& columns, uint32_t part, uint32_t of,
                           const std::string& index) {
  BuildOptions options;
  OFINDEX_ASSIGN(options.columns, ColumnChoice::Parse(columns));
  options.data = {folder};
  options.index = index;
  options.force = true;
  options.part = PartChoice{.part = part, .of = of};
  Progress progress;
  OFINDEX_ASSIGN(const BuildReport report, BuildIndex(options, progress));
  return report.facts.records;
}

Result<uint64_t> MergeInto(const std::vector<std::string>& inputs, const std::string& index) {
  Progress progress;
  const MergeOptions options{.inputs = inputs, .index = index, .force = true};
  OFINDEX_ASSIGN(const BuildReport report, MergeIndexes(options, progress));
  return report.facts.records;
}

Result<uint64_t> Update(const std::string& index, const std::vector<std::string>& data) {
  Progress progress;
  OFINDEX_ASSIGN(const UpdateReport report, UpdateIndex({.index = index, .data = data}, progress));
  return report.written.facts.records;
}

int RunChildTask(std::span<char*> words) {
  const Result<void> done = RunTask(words);
  if (done) return 0;
  std::fprintf(stderr, "%s\n", done.error().message.c_str());
  return ExitCode(done.error().code);
}

}  // namespace ofindex
