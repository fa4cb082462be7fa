#include "query/loading/batch_queue.h"

#include <algorithm>
#include <thread>
#include <utility>

namespace ofindex {
namespace {

using std::chrono::microseconds;

// Batches that arrive more slowly are worth a wake-up each.
constexpr microseconds kQuickArrival{250};
constexpr microseconds kShortestNap{20};
constexpr microseconds kLongestNap{100};
constexpr int kMaxNaps = 4;

size_t MostAhead(size_t depth, size_t threads) { return depth != 0 ? depth : std::max<size_t>(16, threads + 4); }

// Memory of a batch.
uint64_t MemoryOf(const LoadedBatch& loaded) {
  uint64_t bytes = loaded.ordinals.size() * sizeof(uint64_t);
  for (const FeatureArray& array : loaded.batch.arrays) {
    bytes += array.values.capacity() + (array.offsets.size() + array.rows.size()) * sizeof(int64_t);
  }
  return bytes;
}

}  // namespace

BatchQueue::BatchQueue(size_t depth, size_t threads)
    : automatic_(depth == 0),
      ring_(MostAhead(depth, threads)),
      depth_(automatic_ ? std::max(kLeastAutomatic, threads) : depth) {}

size_t BatchQueue::depth() const {
  const std::lock_guard lock(mutex_);
  return depth_;
}

bool BatchQueue::WaitForRoom(uint64_t number) {
  std::unique_lock lock(mutex_);
  wanted_ = number;
  room_.wait(lock, [&] { return stopped_ || number >= end_ || number - taken_ < depth_; });
  wanted_ = kNever;
  return !stopped_ && number < end_;
}

// The thread that waits for room has begun all batches before the wanted one. If few of them are left, it is time.
bool BatchQueue::WakesForRoom() const {
  return wanted_ != kNever && wanted_ - taken_ <= (automatic_ ? depth_ / 2 : depth_ - 1);
}

void BatchQueue::Put(uint64_t number, Result<LoadedBatch> outcome) {
  const std::lock_guard lock(mutex_);
  if (!outcome) {
    end_ = std::min(end_, number + 1);
    room_.notify_all();
  } else if (Measure(*outcome)) {
    room_.notify_all();
  }
  NoteArrival();
  ring_[number % ring_.size()] = std::move(outcome);
  if (taker_waits_) ready_.notify_all();
}

void BatchQueue::NoteArrival() {
  const Clock::time_point now = Clock::now();
  interval_ = (3 * interval_ + (now - last_arrival_)) / 4;
  last_arrival_ = now;
}

// Sets the automatic depth by the largest batch so far. Returns true if it grew.
bool BatchQueue::Measure(const LoadedBatch& loaded) {
  if (!automatic_) return false;
  greatest_bytes_ = std::max({greatest_bytes_, MemoryOf(loaded), uint64_t{1}});
  const size_t before = depth_;
  depth_ = std::clamp<size_t>(kAutomaticBytes / greatest_bytes_, kLeastAutomatic, ring_.size());
  return depth_ > before;
}

void BatchQueue::EndAt(uint64_t batches) {
  const std::lock_guard lock(mutex_);
  end_ = std::min(end_, batches);
  ready_.notify_all();
  room_.notify_all();
}

void BatchQueue::Stop() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  room_.notify_all();
}

void BatchQueue::Nap(std::unique_lock<std::mutex>& lock) const {
  for (int nap = 0; nap < kMaxNaps && interval_ < kQuickArrival && !HasNext(); ++nap) {
    const auto length = std::clamp<Clock::duration>(interval_ / 2, kShortestNap, kLongestNap);
    lock.unlock();
    std::this_thread::sleep_for(length);
    lock.lock();
  }
}

Result<LoadOutcome> BatchQueue::Take(std::chrono::milliseconds patience, LoadedBatch& out) {
  std::optional<Result<LoadedBatch>> next;
  bool wakes = false;
  {
    std::unique_lock lock(mutex_);
    if (patience.count() > 0) Nap(lock);
    taker_waits_ = true;
    const bool has_next = ready_.wait_for(lock, patience, [this] { return HasNext(); });
    taker_waits_ = false;
    if (!has_next) return LoadOutcome::kNotYet;
    if (taken_ >= end_) return LoadOutcome::kEnd;
    next.swap(ring_[taken_ % ring_.size()]);
    ++taken_;
    wakes = WakesForRoom();
  }
  if (wakes) room_.notify_all();
  OFINDEX_ASSIGN(out, std::move(*next));
  return LoadOutcome::kBatch;
}

}  // namespace ofindex
