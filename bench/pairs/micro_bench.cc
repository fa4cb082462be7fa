// The inner loops, one at a time.

#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "base/checksum.h"
#include "bench/pairs/claims.h"
#include "bench/pairs/input/data.h"
#include "bench/pairs/pair.h"
#include "index/walk/walker.h"
#include "mmap/offsets/packed_offsets.h"
#include "proto/payload_kind.h"
#include "tests/proto/message_bytes.h"

namespace ofindex {
namespace {

/// Returns the record boundaries of one block.
std::vector<uint64_t> Boundaries(const LengthRange& lengths) {
  std::vector<uint64_t> boundaries(1);
  for (uint64_t i = 0; i < kBlockRecords; ++i) boundaries.push_back(boundaries.back() + lengths.Of(i));
  return boundaries;
}

void PackedBits(benchmark::State& state, const std::string& name, const LengthRange& lengths) {
  const std::vector<uint64_t> boundaries = Boundaries(lengths);
  std::vector<uint8_t> blob;
  for (auto _ : state) blob = PackOffsets(boundaries);
  state.SetItemsProcessed(state.iterations() * kBlockRecords);
  const double bits = 8.0 * static_cast<double>(blob.size()) / kBlockRecords;
  Report({"packed offsets, " + name + " records", BenchClaim::Bound::kNone, 0, "bits a record"}, bits);
}

void PackedAt(benchmark::State& state) {
  const std::vector<uint8_t> blob = PackOffsets(Boundaries({250, 450}));
  const PackedOffsets offsets(blob.data());
  uint32_t i = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(offsets.At(i));
    i = (i + 40503) % kBlockRecords;
  }
  state.SetItemsProcessed(state.iterations());
}

void Checksum(benchmark::State& state) {
  const std::vector<uint8_t> bytes(static_cast<size_t>(state.range(0)), uint8_t{0x5a});
  for (auto _ : state) benchmark::DoNotOptimize(Crc32c(bytes));
  state.SetBytesProcessed(state.iterations() * state.range(0));
}

// An Example as in image datasets: a few numbers, a name, and the bytes of an image.
void PayloadKinds(benchmark::State& state) {
  const auto feature = [](std::string_view name, uint32_t kind, std::string_view values) {
    return Field(1, Field(1, name) + Field(2, Field(kind, values)));
  };
  const std::string image(static_cast<size_t>(state.range(0)), 'x');
  const std::string example =
      Field(1, feature("image/height", 3, Field(1, Varint(375))) + feature("image/width", 3, Field(1, Varint(500))) +
                   feature("image/filename", 1, Field(1, "n01440764_10026.JPEG")) +
                   feature("image/encoded", 1, Field(1, image)));
  if (StrictPayloadKind(AsBytes(example)) != PayloadKind::kExample) {
    return Stop(state, {ErrorCode::kFormat, "the payload is not taken for an Example"});
  }
  for (auto _ : state) benchmark::DoNotOptimize(StrictPayloadKind(AsBytes(example)));
  state.SetItemsProcessed(state.iterations());
}

BENCHMARK_CAPTURE(PackedBits, fixed, "fixed-size", LengthRange{1000, 1000})->Name("micro/pack/fixed");
BENCHMARK_CAPTURE(PackedBits, small, "250 B", LengthRange{200, 300})->Name("micro/pack/250B");
BENCHMARK_CAPTURE(PackedBits, large, "110 KB", LengthRange{70'000, 150'000})->Name("micro/pack/110KB");
BENCHMARK(PackedAt)->Name("micro/packed_offsets_at");
BENCHMARK(Checksum)->Name("micro/crc32c")->Arg(350)->Arg(110'000);
BENCHMARK(PayloadKinds)->Name("micro/payload_kind")->Arg(100)->Arg(110'000);

}  // namespace
}  // namespace ofindex
