#include "query/loading/batch_loader.h"

#include <unistd.h>

#include <algorithm>
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

/// The state shared by the threads of a loader and its consumer: who draws the next ordinals, and the queue of batches.
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
  [[nodiscard]] Result<LoadOutcome> Next(std::chrono::milliseconds patience, LoadedBatch& out);

 private:
  // A batch whose ordinals were drawn.
  struct PendingBatch {
    uint64_t number = 0;
    LoadedBatch loaded = {};
    std::optional<RowPlan> rows = {};
  };

  void Work();
  [[nodiscard]] bool Draw(PendingBatch& pending);
  [[nodiscard]] Result<BatchStep> DrawOrdinals(std::vector<uint64_t>& ordinals);
  [[nodiscard]] Result<LoadedBatch> Decode(PendingBatch pending) const;

  const std::shared_ptr<const PayloadSource> source_;
  const std::shared_ptr<const BatchDecoder> decoder_;
  const NextBatch order_;
  const BatchLoader::Options options_;

  std::mutex drawing_;  // held while ordinals are drawn
  uint64_t drawn_ = 0;  // the number of the next batch

  BatchQueue queue_;
  std::vector<std::thread> threads_;
};

LoaderState::LoaderState(std::shared_ptr<const PayloadSource> source, std::shared_ptr<const BatchDecoder> decoder,
                         NextBatch order, const BatchLoader::Options& options)
    : source_(std::move(source)),
      decoder_(std::move(decoder)),
      order_(std::move(order)),
      options_(options),
      queue_(options.prefetch, options.threads) {}

LoaderState::~LoaderState() {
  queue_.Stop();
  for (std::thread& thread : threads_) thread.join();
}

void LoaderState::StartThreads() {
  const size_t count =
      options_.prefetch == 0 ? options_.threads : std::min<size_t>(options_.threads, options_.prefetch);
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
    const uint64_t number = pending.number;
    queue_.Put(number, WithMemory("a batch", [&] { return Decode(std::move(pending)); }));
  }
}

// One thread draws, and waits for room while holding `drawing_`: so batches are drawn in order.
bool LoaderState::Draw(PendingBatch& pending) {
  const std::lock_guard turn(drawing_);
  if (!queue_.WaitForRoom(drawn_)) return false;
  pending = {.number = drawn_};
  auto step = DrawOrdinals(pending.loaded.ordinals);
  if (!step) {
    queue_.Put(drawn_++, tl::unexpected<Error>(std::move(step).error()));
    return false;
  }
  pending.loaded.position = step->position;
  pending.rows = std::move(step->rows);
  const bool empty = pending.loaded.ordinals.empty();
  if (!empty) ++drawn_;
  if (empty || !step->more) queue_.EndAt(drawn_);
  return !empty;
}

Result<BatchStep> LoaderState::DrawOrdinals(std::vector<uint64_t>& ordinals) {
  return WithMemory("the ordinals of a batch", [&] { return order_(ordinals); });
}

Result<LoadedBatch> LoaderState::Decode(PendingBatch pending) const {
  LoadedBatch& loaded = pending.loaded;
  OFINDEX_ASSIGN(loaded.batch, decoder_->Decode(*source_, loaded.ordinals, 1, &queue_.stopped()));
  if (pending.rows) {
    OFINDEX_ASSIGN(loaded.batch, PackRows(loaded.batch, decoder_->specs(), *pending.rows, *source_, loaded.ordinals));
  }
  return std::move(loaded);
}

Result<LoadOutcome> LoaderState::Next(std::chrono::milliseconds patience, LoadedBatch& out) {
  if (threads_.empty()) {
    PendingBatch pending;
    const bool drawn = Draw(pending);
    const uint64_t number = pending.number;
    if (drawn) queue_.Put(number, Decode(std::move(pending)));
  }
  return queue_.Take(patience, out);
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
  if (options.prefetch > kMaxBatches) {
    return Fail(ErrorCode::kUsage,
                StrCat("prefetch of ", options.prefetch, " batches; expected at most ", kMaxBatches));
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
