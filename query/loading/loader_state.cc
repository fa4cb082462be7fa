#include "query/loading/loader_state.h"

#include <algorithm>
#include <csignal>
#include <utility>

#include "base/allocation.h"
#include "base/threads.h"

namespace ofindex {
namespace {

/// Blocks signals in this thread, and so in those that it starts, while it lives: all but those that a fault raises,
/// because a reader survives files that shrink under its map.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t blocked;
    sigfillset(&blocked);
    for (const int fault : {SIGBUS, SIGSEGV, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT}) sigdelset(&blocked, fault);
    ::pthread_sigmask(SIG_BLOCK, &blocked, &before_);
  }
  ~SignalsBlocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

}  // namespace

LoaderState::LoaderState(std::shared_ptr<const PayloadSource> source, std::shared_ptr<const BatchDecoder> decoder,
                         NextOrdinals order, const BatchLoader::Options& options)
    : source_(std::move(source)),
      decoder_(std::move(decoder)),
      order_(std::move(order)),
      options_(options),
      ring_(options.prefetch) {}

LoaderState::~LoaderState() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  room_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void LoaderState::StartThreads() {
  const size_t count = std::min<size_t>(options_.threads, options_.prefetch);
  const SignalsBlocked blocked;
  threads_.reserve(count);
  while (threads_.size() < count) {
    auto started = StartThread([this] { Work(); });
    if (!started) return;  // those that run will do all the work, or Next()
    threads_.push_back(std::move(*started));
  }
}

void LoaderState::Work() {
  Draft draft;
  while (Draw(draft)) {
    Finish(draft.number, WithMemory("a batch", [&] { return Decode(std::move(draft.loaded)); }));
  }
}

// One thread draws, and waits for room with the turn in its hands: so batches are drawn in order.
bool LoaderState::Draw(Draft& draft) {
  const std::lock_guard turn(drawing_);
  if (!WaitForRoom()) return false;
  draft = {.number = drawn_};
  auto step = DrawOrdinals(draft.loaded.ordinals);
  if (!step) {
    Finish(drawn_++, tl::unexpected<Error>(std::move(step).error()));
    return false;
  }
  draft.loaded.position = step->position;
  if (step->count != 0) ++drawn_;
  if (step->count < options_.batch_size) {
    const std::lock_guard lock(mutex_);
    end_ = std::min(end_, drawn_);
    ready_.notify_all();
  }
  return step->count != 0;
}

bool LoaderState::WaitForRoom() {
  std::unique_lock lock(mutex_);
  room_.wait(lock, [this] { return stopped_ || drawn_ >= end_ || drawn_ - given_ < options_.prefetch; });
  return !stopped_ && drawn_ < end_;
}

Result<OrderStep> LoaderState::DrawOrdinals(std::vector<uint64_t>& ordinals) {
  return WithMemory("the ordinals of a batch", [&]() -> Result<OrderStep> {
    ordinals.resize(options_.batch_size);
    const OrderStep step = order_(ordinals);
    ordinals.resize(step.count);
    return step;
  });
}

Result<BatchLoader::Loaded> LoaderState::Decode(Loaded loaded) const {
  OFINDEX_ASSIGN(loaded.batch, decoder_->Decode(*source_, loaded.ordinals, 1, &stopped_));
  return loaded;
}

void LoaderState::Finish(uint64_t number, Result<Loaded> outcome) {
  const std::lock_guard lock(mutex_);
  if (!outcome) {
    end_ = std::min(end_, number + 1);
    room_.notify_all();
  }
  ring_[number % options_.prefetch] = std::move(outcome);
  ready_.notify_all();
}

Result<BatchLoader::Outcome> LoaderState::Next(std::chrono::milliseconds patience, Loaded& out) {
  if (threads_.empty()) {
    Draft draft;
    if (Draw(draft)) Finish(draft.number, Decode(std::move(draft.loaded)));
  }
  std::optional<Result<Loaded>> next;
  {
    std::unique_lock lock(mutex_);
    std::optional<Result<Loaded>>& slot = ring_[given_ % options_.prefetch];
    if (!ready_.wait_for(lock, patience, [&] { return slot || given_ >= end_; })) return BatchLoader::Outcome::kNotYet;
    if (given_ >= end_) return BatchLoader::Outcome::kEnd;
    next.swap(slot);
    ++given_;
  }
  room_.notify_all();
  OFINDEX_ASSIGN(out, std::move(*next));
  return BatchLoader::Outcome::kBatch;
}

}  // namespace ofindex
