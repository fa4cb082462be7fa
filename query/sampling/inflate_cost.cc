#include "query/sampling/inflate_cost.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <numeric>
#include <vector>

#include "base/text.h"
#include "mmap/record_batch.h"
#include "query/sampling/reading_facts.h"

namespace ofindex {
namespace {

constexpr uint64_t kLooks = 8;
constexpr double kMaxSeconds = 0.05;
constexpr uint64_t kMaxNeighbours = 65'536;
constexpr uint64_t kMaxNeighbourBytes = uint64_t{8} << 20;

// Returns the seconds that it takes to read these records together.
Result<double> SecondsFor(const RecordReader& reader, std::span<const uint64_t> ordinals) {
  RecordBatch batch;
  const auto start = std::chrono::steady_clock::now();
  OFINDEX_TRY(reader.CopyInto(ordinals, batch));
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::string Duration(double seconds) {
  std::array<char, 32> text{};
  const bool micro = seconds < 1e-3;
  std::snprintf(text.data(), text.size(), micro ? "%.1f us" : "%.1f ms", seconds * (micro ? 1e6 : 1e3));
  return text.data();
}

}  // namespace

Result<std::optional<std::string>> CostOfGlobalShuffle(const Dataset& dataset, const ReadingFacts& facts) {
  if (facts.span_bytes == 0 || facts.inflated_bytes <= facts.cache_bytes || facts.records < 2 * kLooks) {
    return std::nullopt;
  }
  const RecordReader& reader = dataset.reader();
  OFINDEX_ASSIGN(const View present, PresentRecords(reader));
  if (present.size() < facts.records) return std::nullopt;
  double total = 0;
  int looks = 0;
  for (uint64_t i = 0; i < kLooks && total < kMaxSeconds; ++i) {
    const uint64_t ordinal = present.At(facts.records / kLooks * i + facts.records / (2 * kLooks));
    const auto seconds = SecondsFor(reader, std::span(&ordinal, 1));
    if (!seconds && seconds.error().code == ErrorCode::kDamage) continue;
    OFINDEX_TRY(seconds);
    total += *seconds;
    ++looks;
  }
  if (looks == 0) return std::nullopt;
  const double alone = total / looks;
  const uint64_t mean = std::max<uint64_t>(facts.payload_bytes / facts.records, 1);
  const uint64_t bytes = std::min(2 * facts.span_bytes, kMaxNeighbourBytes);
  std::vector<uint64_t> neighbours(std::clamp<uint64_t>(bytes / mean, 1, std::min(kMaxNeighbours, facts.records)));
  std::iota(neighbours.begin(), neighbours.end(), 0);
  present.Map(neighbours);
  const auto together = SecondsFor(reader, neighbours);
  if (!together && together.error().code == ErrorCode::kDamage) return std::nullopt;
  OFINDEX_TRY(together);
  return StrCat("the shards are compressed: a record by itself took ", Duration(alone), " here, one among neighbours ",
                Duration(*together / static_cast<double>(neighbours.size())));
}

}  // namespace ofindex
