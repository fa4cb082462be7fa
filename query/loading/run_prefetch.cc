#include "query/loading/run_prefetch.h"

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include "base/memory_size.h"

namespace ofindex {
namespace {

// Runs that are remembered as prefetched, more than any order has in progress. A forgotten run is prefetched again,
// which costs a call and reads nothing twice.
constexpr uint64_t kRemembered = 65536;

class RunsAskedFor {
 public:
  RunsAskedFor(std::shared_ptr<const RecordReader> reader, uint64_t run)
      : reader_(std::move(reader)), run_(run), asked_(kRemembered, ~uint64_t{0}) {}

  void Ask(uint64_t ordinal) {
    const uint64_t number = ordinal / run_;
    uint64_t& asked = asked_[number % kRemembered];
    if (asked == number) return;
    asked = number;
    reader_->Prefetch(number * run_, std::min(run_, reader_->size() - number * run_));
  }

 private:
  std::shared_ptr<const RecordReader> reader_;
  uint64_t run_;
  std::vector<uint64_t> asked_;
};

}  // namespace

NextOrdinals PrefetchRuns(NextOrdinals order, std::shared_ptr<const RecordReader> reader, uint64_t run) {
  auto runs = std::make_shared<RunsAskedFor>(std::move(reader), run);
  return [order = std::move(order), runs](std::span<uint64_t> out) {
    const OrderStep step = order(out);
    for (const uint64_t ordinal : out.first(step.count)) runs->Ask(ordinal);
    return step;
  };
}

NextBatch PrefetchRuns(NextBatch order, std::shared_ptr<const RecordReader> reader, uint64_t run) {
  auto runs = std::make_shared<RunsAskedFor>(std::move(reader), run);
  return [order = std::move(order), runs](std::vector<uint64_t>& ordinals) -> Result<BatchStep> {
    OFINDEX_ASSIGN(BatchStep step, order(ordinals));
    for (const uint64_t ordinal : ordinals) runs->Ask(ordinal);
    return step;
  };
}

uint64_t RunToPrefetch(const SamplingMethod& method, const View& view, const RecordReader& reader) {
  constexpr uint64_t kReadTogether = uint64_t{256} << 10;
  if (const auto* shape = std::get_if<BlockShape>(&method)) return shape->run;
  const bool most = view.size() > reader.live() / 2;
  if (!std::holds_alternative<GlobalShuffle>(method) || !most) return 0;
  const uint64_t bytes = reader.map().header().payload_bytes;
  if (bytes > MemorySize() / 2) return 0;
  const uint64_t run = kReadTogether / std::max<uint64_t>(bytes / reader.live(), 1);
  return run < 4 ? 0 : run;
}

}  // namespace ofindex
