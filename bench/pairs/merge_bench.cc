// Measures what a build in parts costs: merging parts and whole indexes, in records per second and memory, and building
// one large shard in two parts.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/output_file.h"
#include "base/text.h"
#include "bench/pairs/child.h"
#include "bench/pairs/child_tasks.h"
#include "bench/pairs/input/example_data.h"
#include "bench/pairs/input/synthetic.h"
#include "bench/pairs/pair.h"

namespace ofindex {
namespace {

constexpr uint32_t kParts = 8;

std::string OutputPath() { return MemoryFolder() + "/merged.ofidx"; }

// Merges `inputs`, and returns the seconds that it took. Nothing is synced: the time of a disk is not to be measured.
Result<double> SecondsToMerge(const std::vector<std::string>& inputs) {
  uint64_t records = 0;
  return Time([&] { return MergeInto(inputs, OutputPath()); }, records);
}

// Builds all parts of the data, and returns their paths.
Result<std::vector<std::string>> PartsOf(const DataSet& data, const std::string& columns) {
  std::vector<std::string> parts;
  for (uint32_t part = 1; part <= kParts; ++part) {
    parts.push_back(StrCat(MemoryFolder(), "/part-", part, ".ofidx"));
    OFINDEX_TRY(BuildPart(data.folder, columns, part, kParts, parts.back()));
  }
  return parts;
}

void MergeParts(benchmark::State& state, const std::string& columns) {
  const auto data = ImageRecords();
  if (!data) return Stop(state, data.error());
  const auto parts = PartsOf(*data, columns);
  if (!parts) return Stop(state, parts.error());
  std::vector<double> rates;
  for (auto _ : state) {
    const auto seconds = SecondsToMerge(*parts);
    if (!seconds) return Stop(state, seconds.error());
    state.SetIterationTime(*seconds);
    rates.push_back(static_cast<double>(data->records) / *seconds / kMillion);
  }
  const bool none = columns == "none";
  Report({.name = StrCat("(f) merge of 8 parts, ", none ? "no columns" : "four columns"),
          .bound = BenchClaim::Bound::kAtLeast,
          .asked = 50,
          .unit = "M records/s"},
         Median(rates));
}

void MergeWithoutColumns(benchmark::State& state) { MergeParts(state, "none"); }
void MergeFourColumns(benchmark::State& state) { MergeParts(state, kFourColumns); }

void MergeHundredMillion(benchmark::State& state) {
  const auto indexes = HundredMillionInIndexes(kParts);
  if (!indexes) return Stop(state, indexes.error());
  std::vector<double> rates;
  double peak = 0;
  for (auto _ : state) {
    std::vector<std::string> task = {"merge", OutputPath()};
    task.insert(task.end(), indexes->begin(), indexes->end());
    auto child = Child::Start(task);
    if (!child) return Stop(state, child.error());
    const auto ns = child->ReadNumber();
    const auto bytes = child->ReadNumber();
    if (!ns || !bytes) return Stop(state, ns ? bytes.error() : ns.error());
    state.SetIterationTime(*ns / 1e9);
    rates.push_back(100 * 1e9 / *ns);
    peak = std::max(peak, *bytes);
  }
  Report({"(f) 100 M records: merge of 8 indexes", BenchClaim::Bound::kAtLeast, 50, "M records/s"}, Median(rates));
  Report({"(f) 100 M records: peak memory of the merge", BenchClaim::Bound::kAtMost, 300, "MiB"}, peak / kMiB);
}

// Returns a folder with the records of `data` in one shard.
Result<std::string> InOneShard(const DataSet& data) {
  const std::string folder = MemoryFolder() + "/one";
  std::filesystem::create_directories(folder);
  OFINDEX_ASSIGN(OutputFile out, OutputFile::Create(folder + "/all.tfrecord"));
  std::vector<uint8_t> piece(size_t{1} << 20);
  for (const std::string& shard : data.shards) {
    OFINDEX_ASSIGN(const File file, File::OpenRead(shard));
    for (uint64_t at = 0;;) {
      OFINDEX_ASSIGN(const size_t got, file.ReadAt(at, piece));
      if (got == 0) break;
      OFINDEX_TRY(out.Append(ByteView(piece).first(got)));
      at += got;
    }
  }
  OFINDEX_TRY(out.Flush());
  return folder;
}

// Compares the slower of two parts with a build of all.
void BuildInTwoParts(benchmark::State& state, const std::string& columns) {
  const auto data = ImageRecords();
  if (!data) return Stop(state, data.error());
  const auto folder = InOneShard(*data);
  if (!folder) return Stop(state, folder.error());
  std::vector<double> ratios;
  for (auto _ : state) {
    std::vector<double> seconds;
    for (const uint32_t part : {0U, 1U, 2U}) {
      uint64_t records = 0;
      const auto build = [&] {
        return part == 0 ? Rebuild(*folder, columns) : BuildPart(*folder, columns, part, 2, OutputPath());
      };
      const auto taken = Time(build, records);
      if (!taken) return Stop(state, taken.error());
      seconds.push_back(*taken);
    }
    state.SetIterationTime(seconds[0]);
    ratios.push_back(std::max(seconds[1], seconds[2]) / seconds[0]);
  }
  const bool none = columns == "none";
  Report({.name = StrCat("(f) one shard of 4 M records in 2 parts, ", none ? "no columns" : "four columns"),
          .bound = BenchClaim::Bound::kAtMost,
          .asked = 0.6,
          .unit = {}},
         Median(ratios));
}

void TwoPartsWithoutColumns(benchmark::State& state) { BuildInTwoParts(state, "none"); }
void TwoPartsFourColumns(benchmark::State& state) { BuildInTwoParts(state, kFourColumns); }

BENCHMARK(MergeWithoutColumns)->Name("merge/parts/none")->Iterations(5)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(MergeFourColumns)->Name("merge/parts/four")->Iterations(5)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(MergeHundredMillion)->Name("merge/100M")->Iterations(5)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(TwoPartsWithoutColumns)
    ->Name("merge/build/none")
    ->Iterations(5)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(TwoPartsFourColumns)->Name("merge/build/four")->Iterations(5)->UseManualTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace ofindex
