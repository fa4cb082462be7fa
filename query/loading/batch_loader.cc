#include "query/loading/batch_loader.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "base/allocation.h"
#include "base/text.h"
#include "base/threads.h"

namespace ofindex {
namespace {

// A higher number is useless, and memory for this many can be allocated.
constexpr uint64_t kMaxBatchSize = uint64_t{1} << 28;
constexpr size_t kMaxBatches = size_t{1} << 20;

/// Blocks signals in this thread, and so in the threads that it starts, while this lives. Signals raised by a fault
/// stay unblocked, because a reader survives files that shrink under its map.
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

// Returns batches of `size` records of `order`.
NextBatch FixedBatches(NextOrdinals order, uint64_t size) {
  return [order = std::move(order), size](std::vector<uint64_t>& ordinals) -> Result<BatchStep> {
    ordinals.resize(size);
    const OrderStep step = order(ordinals);
    ordinals.resize(step.count);
    return BatchStep{step.position, step.count == size};
  };
}

}  // namespace

/// The state shared by the threads of a loader and its consumer: who draws the next ordinals, and the ring of batches
/// that are ready or in progress. Batches are numbered from 0; number n has slot n mod prefetch of the ring.
class LoaderState {
 public:
  LoaderState(std::shared_ptr<const PayloadSource> source, std::shared_ptr<const BatchDecoder> decoder, NextBatch order,
              const BatchLoader::Options& options);

  /// Stops the threads and waits for them.
  ~LoaderState();
  LoaderState(const LoaderState&) = delete;
  LoaderState& operator=(const LoaderState&) = delete;

  /// Starts as many threads as requested, or as the system gives.
  void StartThreads();

  /// As BatchLoader::Next.
  [[nodiscard]] Result<BatchLoader::Outcome> Next(std::chrono::milliseconds patience, BatchLoader::Loaded& out);

 private:
  using Loaded = BatchLoader::Loaded;
  static constexpr uint64_t kNever = ~uint64_t{0};

  // A batch whose ordinals were drawn.
  struct PendingBatch {
    uint64_t number = 0;
    Loaded loaded = {};
  };

  void Work();
  [[nodiscard]] bool Draw(PendingBatch& pending);
  [[nodiscard]] bool WaitForRoom();
  [[nodiscard]] Result<BatchStep> DrawOrdinals(std::vector<uint64_t>& ordinals);
  [[nodiscard]] Result<Loaded> Decode(Loaded loaded) const;
  void Finish(uint64_t number, Result<Loaded> outcome);

  const std::shared_ptr<const PayloadSource> source_;
  const std::shared_ptr<const BatchDecoder> decoder_;
  const NextBatch order_;
  const BatchLoader::Options options_;
  std::atomic<bool> stopped_{false};

  std::mutex drawing_;  // held while ordinals are drawn; taken before mutex_
  uint64_t drawn_ = 0;  // the number of the next batch

  std::mutex mutex_;
  std::condition_variable room_;   // a batch was returned, or there is nothing more to draw
  std::condition_variable ready_;  // a batch was finished, or the last one became known
  std::vector<std::optional<Result<Loaded>>> ring_;
  uint64_t given_ = 0;     // batches that were returned
  uint64_t end_ = kNever;  // number of batches

  std::vector<std::thread> threads_;
};

LoaderState::LoaderState(std::shared_ptr<const PayloadSource> source, std::shared_ptr<const BatchDecoder> decoder,
                         NextBatch order, const BatchLoader::Options& options)
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
    if (!started) return;  // the running threads do all the work, or Next()
    threads_.push_back(std::move(*started));
  }
}

void LoaderState::Work() {
  PendingBatch pending;
  while (Draw(pending)) {
    Finish(pending.number, WithMemory("a batch", [&] { return Decode(std::move(pending.loaded)); }));
  }
}

// One thread draws, and waits for room while holding `drawing_`: so batches are drawn in order.
bool LoaderState::Draw(PendingBatch& pending) {
  const std::lock_guard turn(drawing_);
  if (!WaitForRoom()) return false;
  pending = {.number = drawn_};
  auto step = DrawOrdinals(pending.loaded.ordinals);
  if (!step) {
    Finish(drawn_++, tl::unexpected<Error>(std::move(step).error()));
    return false;
  }
  pending.loaded.position = step->position;
  const bool empty = pending.loaded.ordinals.empty();
  if (!empty) ++drawn_;
  if (empty || !step->more) {
    const std::lock_guard lock(mutex_);
    end_ = std::min(end_, drawn_);
    ready_.notify_all();
  }
  return !empty;
}

bool LoaderState::WaitForRoom() {
  std::unique_lock lock(mutex_);
  room_.wait(lock, [this] { return stopped_ || drawn_ >= end_ || drawn_ - given_ < options_.prefetch; });
  return !stopped_ && drawn_ < end_;
}

Result<BatchStep> LoaderState::DrawOrdinals(std::vector<uint64_t>& ordinals) {
  return WithMemory("the ordinals of a batch", [&] { return order_(ordinals); });
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
    PendingBatch pending;
    if (Draw(pending)) Finish(pending.number, Decode(std::move(pending.loaded)));
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

Result<std::unique_ptr<BatchLoader>> BatchLoader::Start(std::shared_ptr<const PayloadSource> source,
                                                        std::shared_ptr<const BatchDecoder> decoder, NextOrdinals order,
                                                        Options options) {
  if (options.batch_size == 0 || options.batch_size > kMaxBatchSize) {
    return Fail(ErrorCode::kUsage,
                StrCat("batches of ", options.batch_size, " records; expected 1 to ", kMaxBatchSize));
  }
  NextBatch batches = FixedBatches(std::move(order), options.batch_size);
  return Start(std::move(source), std::move(decoder), std::move(batches), options);
}

Result<std::unique_ptr<BatchLoader>> BatchLoader::Start(std::shared_ptr<const PayloadSource> source,
                                                        std::shared_ptr<const BatchDecoder> decoder, NextBatch order,
                                                        Options options) {
  if (options.prefetch == 0 || options.prefetch > kMaxBatches) {
    return Fail(ErrorCode::kUsage, StrCat("prefetch of ", options.prefetch, " batches; expected 1 to ", kMaxBatches));
  }
  return WithMemory("a loader of batches", [&]() -> Result<std::unique_ptr<BatchLoader>> {
    auto state = std::make_unique<LoaderState>(std::move(source), std::move(decoder), std::move(order), options);
    std::unique_ptr<BatchLoader> loader(new BatchLoader(std::move(state)));
    loader->state_->StartThreads();
    return loader;
  });
}

BatchLoader::BatchLoader(std::unique_ptr<LoaderState> state) : state_(std::move(state)), process_(::getpid()) {}

BatchLoader::~BatchLoader() {
  // Threads that do not exist cannot be joined, and may have held any lock.
  if (::getpid() != process_) static_cast<void>(state_.release());
}

Result<BatchLoader::Outcome> BatchLoader::Next(std::chrono::milliseconds patience, Loaded& out) {
  if (::getpid() != process_) {
    return Fail(ErrorCode::kUsage, StrCat("the loader belongs to process ", process_, ", this is another"),
                "start one in each process after the fork");
  }
  const std::chrono::milliseconds limit = std::chrono::hours(24);
  return state_->Next(std::clamp(patience, std::chrono::milliseconds(0), limit), out);
}

}  // namespace ofindex
