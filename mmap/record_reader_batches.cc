// Copies of many records at once.

#include <sys/resource.h>

#include <bit>

#include "base/allocation.h"
#include "mmap/batch/fast_copy.h"
#include "mmap/reader_state.h"
#include "mmap/record_reader.h"

namespace ofindex {
namespace {

// Returns how often this thread has had to wait for the disk.
int64_t DiskReads() {
  rusage usage{};
  ::getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_majflt + usage.ru_inblock;
}

}  // namespace

Result<void> RecordReader::CopyInto(std::span<const uint64_t> ordinals, RecordBatch& batch) const {
  return WithMemory("a batch of records", [&]() -> Result<void> {
    const int64_t before = DiskReads();
    if (state_->cold.load(std::memory_order_relaxed) || !TryCopyFast(ordinals, batch)) {
      OFINDEX_TRY(CopySlow(ordinals, batch));
    }
    state_->cold.store(DiskReads() != before, std::memory_order_relaxed);
    return {};
  });
}

// The fast path, which can copy most batches. Returns true if it copied everything, otherwise false without giving a
// reason.
bool RecordReader::TryCopyFast(std::span<const uint64_t> ordinals, RecordBatch& batch) const {
  const uint64_t map_state = map_->watch().state();
  batch.ends_.resize(ordinals.size());
  batch.shards_read_.assign((map_->shards() + 63) / 64, 0);
  const CopyTarget target{.bytes = batch.room(), .ends = batch.ends_, .shards_read = batch.shards_read_};
  if (!CopyFast(state_->ready, ordinals, target)) return false;
  for (size_t word = 0; word < batch.shards_read_.size(); ++word) {
    for (uint64_t bits = batch.shards_read_[word]; bits != 0; bits &= bits - 1) {
      const size_t shard = word * 64 + static_cast<size_t>(std::countr_zero(bits));
      const auto unchanged = state_->shards.Opened(static_cast<uint32_t>(shard)).Unchanged();
      if (!unchanged || !*unchanged) return false;
    }
  }
  return ordinals.empty() || map_->watch().Unchanged(map_state);
}

// Copies in storage order, shard by shard, and opens or inflates each shard as needed.
Result<void> RecordReader::CopySlow(std::span<const uint64_t> ordinals, RecordBatch& batch) const {
  OFINDEX_TRY(batch.plan_.Make(ordinals, state_->planner, batch.ends_));
  batch.Allocate();
  return batch.plan_.Read(batch.ends_, batch.buffer_.get(), state_->cold.load(std::memory_order_relaxed));
}

}  // namespace ofindex
