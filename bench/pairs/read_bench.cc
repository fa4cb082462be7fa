// Measures random reads of records from the page cache, compared with arrays of offsets over a plain map, and with
// pread. All loops use one thread.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "base/text.h"
#include "bench/pairs/bare_reader.h"
#include "bench/pairs/child_tasks.h"
#include "bench/pairs/input/data.h"
#include "bench/pairs/pair.h"
#include "query/dataset.h"

namespace ofindex {
namespace {

constexpr uint64_t kLongestRecord = 450;
constexpr size_t kReadsPerGroup = 64;

/// The small records, opened in both ways, and an order in which to read them.
struct Fixture {
  Dataset dataset;
  BareReader bare;
  std::vector<uint64_t> ordinals;
};

// Reads one byte of each page of both maps, so that no page fault is timed.
uint64_t TouchAll(const Fixture& fixture) {
  uint64_t sum = 0;
  for (uint64_t ordinal = 0; ordinal < fixture.dataset.size(); ++ordinal) {
    sum += fixture.bare.View(ordinal).front();
    if (const auto view = fixture.dataset.reader().View(ordinal)) sum += view->front();
  }
  return sum;
}

Result<Fixture> MakeFixture() {
  OFINDEX_ASSIGN(const DataSet data, SmallRecords());
  OFINDEX_TRY(Rebuild(data.folder));
  OFINDEX_ASSIGN(Dataset dataset, Dataset::Open(data.folder));
  OFINDEX_ASSIGN(BareReader bare, BareReader::Open(data, dataset.reader()));
  Fixture fixture{std::move(dataset), std::move(bare), ShuffledOrdinals(data.records)};
  benchmark::DoNotOptimize(TouchAll(fixture));
  return fixture;
}

// Created once, by the first benchmark that needs it.
const Result<Fixture>& TheFixture() {
  static const Result<Fixture> fixture = MakeFixture();
  return fixture;
}

Result<uint64_t> ViewAll(const Fixture& fixture) {
  uint64_t sum = 0;
  for (const uint64_t ordinal : fixture.ordinals) {
    OFINDEX_ASSIGN(const ByteView record, fixture.dataset.reader().View(ordinal));
    sum += record.front() + uint64_t{record.back()};
  }
  return sum;
}

// Views one record after the other, each chosen only when the bytes of the one before are there: `sum` never reaches
// its highest bit.
template <typename View>
Result<uint64_t> ViewChain(const Fixture& fixture, const View& view) {
  uint64_t sum = 0;
  for (size_t i = 0; i < fixture.ordinals.size(); ++i) {
    OFINDEX_ASSIGN(const ByteView record, view(fixture.ordinals[i + (sum >> 63)]));
    sum += record.front() + uint64_t{record.back()};
  }
  return sum;
}

// Views records in groups, since a training loop knows which records it will read next.
Result<uint64_t> ViewAllInGroups(const Fixture& fixture) {
  std::array<ByteView, kReadsPerGroup> views;
  uint64_t sum = 0;
  for (size_t i = 0; i < fixture.ordinals.size(); i += kReadsPerGroup) {
    const size_t n = std::min(kReadsPerGroup, fixture.ordinals.size() - i);
    OFINDEX_TRY(fixture.dataset.reader().View(std::span(fixture.ordinals).subspan(i, n), std::span(views).first(n)));
    for (const ByteView record : std::span(views).first(n)) sum += record.front() + uint64_t{record.back()};
  }
  return sum;
}

Result<uint64_t> ViewAllBare(const Fixture& fixture) {
  uint64_t sum = 0;
  for (const uint64_t ordinal : fixture.ordinals) {
    const ByteView record = fixture.bare.View(ordinal);
    sum += record.front() + uint64_t{record.back()};
  }
  return sum;
}

// Calls `copy` for each batch of ordinals.
template <typename Copy>
Result<uint64_t> InBatches(const Fixture& fixture, size_t batch_records, Copy copy) {
  uint64_t sum = 0;
  std::span<const uint64_t> left = fixture.ordinals;
  while (!left.empty()) {
    const size_t n = std::min(batch_records, left.size());
    OFINDEX_ASSIGN(const uint64_t of_batch, copy(left.first(n)));
    sum += of_batch;
    left = left.subspan(n);
  }
  return sum;
}

// Combines the first and last byte of a batch: enough to tell whether two copies are equal, at no cost.
uint64_t EndsOf(const uint8_t* copied, uint64_t first_bytes) { return copied[0] + uint64_t{copied[first_bytes - 1]}; }

Result<uint64_t> CopyAll(const Fixture& fixture, size_t batch_records) {
  RecordBatch batch;
  return InBatches(fixture, batch_records, [&](std::span<const uint64_t> ordinals) -> Result<uint64_t> {
    OFINDEX_TRY(fixture.dataset.reader().CopyInto(ordinals, batch));
    return EndsOf(batch.bytes().data(), batch[0].size());
  });
}

Result<uint64_t> CopyAllBare(const Fixture& fixture, size_t batch_records) {
  std::vector<uint8_t> out(batch_records * kLongestRecord);
  return InBatches(fixture, batch_records, [&](std::span<const uint64_t> ordinals) -> Result<uint64_t> {
    fixture.bare.Copy(ordinals, out.data());
    return EndsOf(out.data(), fixture.bare.View(ordinals[0]).size());
  });
}

Result<uint64_t> PreadAll(const Fixture& fixture, size_t batch_records) {
  std::vector<uint8_t> out(batch_records * kLongestRecord);
  return InBatches(fixture, batch_records, [&](std::span<const uint64_t> ordinals) -> Result<uint64_t> {
    OFINDEX_TRY(fixture.bare.Pread(ordinals, out.data()));
    return EndsOf(out.data(), fixture.bare.View(ordinals[0]).size());
  });
}

void ReadViews(benchmark::State& state) {
  const auto& fixture = TheFixture();
  if (!fixture) return Stop(state, fixture.error());
  Measure(state, {.claim = {"(c) random view of 350 B records / arrays over a map", BenchClaim::Bound::kAtLeast, 0.8},
                  .records = fixture->ordinals.size(),
                  .ours = [&] { return ViewAll(*fixture); },
                  .bare = [&] { return ViewAllBare(*fixture); }});
}

void ViewInChain(benchmark::State& state) {
  const auto& fixture = TheFixture();
  if (!fixture) return Stop(state, fixture.error());
  const auto ours = [&](uint64_t ordinal) { return fixture->dataset.reader().View(ordinal); };
  const auto bare = [&](uint64_t ordinal) -> Result<ByteView> { return fixture->bare.View(ordinal); };
  Measure(state, {.claim = {"(c) the same, each after the bytes of the one before / arrays over a map"},
                  .records = fixture->ordinals.size(),
                  .ours = [&] { return ViewChain(*fixture, ours); },
                  .bare = [&] { return ViewChain(*fixture, bare); }});
}

void ViewInGroups(benchmark::State& state) {
  const auto& fixture = TheFixture();
  if (!fixture) return Stop(state, fixture.error());
  Measure(state,
          {.claim = {StrCat("(c) the same, ", kReadsPerGroup, " views and then their bytes / arrays over a map")},
           .records = fixture->ordinals.size(),
           .ours = [&] { return ViewAllInGroups(*fixture); },
           .bare = [&] { return ViewAllBare(*fixture); }});
}

void CopyNextToMemcpy(benchmark::State& state) {
  const auto& fixture = TheFixture();
  if (!fixture) return Stop(state, fixture.error());
  const auto batch = static_cast<size_t>(state.range(0));
  const std::string name = StrCat("(d) random copy of 350 B records, ", batch, " a batch / memcpy with prefetch");
  Measure(state, {.claim = {name, BenchClaim::Bound::kAtLeast, 0.9},
                  .records = fixture->ordinals.size(),
                  .ours = [&] { return CopyAll(*fixture, batch); },
                  .bare = [&] { return CopyAllBare(*fixture, batch); }});
}

void CopyNextToPread(benchmark::State& state) {
  const auto& fixture = TheFixture();
  if (!fixture) return Stop(state, fixture.error());
  const auto batch = static_cast<size_t>(state.range(0));
  const std::string name = StrCat("(d) random copy of 350 B records, ", batch, " a batch / pread");
  Measure(state, {.claim = {name, BenchClaim::Bound::kAtLeast, 6},
                  .records = fixture->ordinals.size(),
                  .ours = [&] { return CopyAll(*fixture, batch); },
                  .bare = [&] { return PreadAll(*fixture, batch); }});
}

BENCHMARK(ReadViews)->Name("read/350B/view")->Iterations(7)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(ViewInChain)->Name("read/350B/view/chain")->Iterations(7)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(ViewInGroups)->Name("read/350B/view/groups")->Iterations(7)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(CopyNextToMemcpy)
    ->Name("read/350B/copy/memcpy")
    ->ArgName("batch")
    ->Arg(1024)
    ->Arg(4096)
    ->Iterations(7)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(CopyNextToPread)
    ->Name("read/350B/copy/pread")
    ->ArgName("batch")
    ->Arg(1024)
    ->Arg(4096)
    ->Iterations(3)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace ofindex
