#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "base/result.h"
#include "query/loading/batch_loader.h"

namespace ofindex {

/// What the threads of a loader share with its user: who draws the next ordinals, and the ring of batches that are
/// ready or under way. Batches are numbered from 0; number n has slot n mod prefetch of the ring.
class LoaderState {
 public:
  LoaderState(std::shared_ptr<const PayloadSource> source, std::shared_ptr<const BatchDecoder> decoder,
              NextOrdinals order, const BatchLoader::Options& options);

  /// Stops the threads and waits for them.
  ~LoaderState();
  LoaderState(const LoaderState&) = delete;
  LoaderState& operator=(const LoaderState&) = delete;

  /// As many as were asked for, or as the system gives.
  void StartThreads();

  /// As BatchLoader::Next.
  [[nodiscard]] Result<BatchLoader::Outcome> Next(std::chrono::milliseconds patience, BatchLoader::Loaded& out);

 private:
  using Loaded = BatchLoader::Loaded;
  static constexpr uint64_t kNever = ~uint64_t{0};

  // A batch whose ordinals were drawn.
  struct Draft {
    uint64_t number = 0;
    Loaded loaded = {};
  };

  void Work();
  [[nodiscard]] bool Draw(Draft& draft);
  [[nodiscard]] bool WaitForRoom();
  [[nodiscard]] Result<OrderStep> DrawOrdinals(std::vector<uint64_t>& ordinals);
  [[nodiscard]] Result<Loaded> Decode(Loaded loaded) const;
  void Finish(uint64_t number, Result<Loaded> outcome);

  const std::shared_ptr<const PayloadSource> source_;
  const std::shared_ptr<const BatchDecoder> decoder_;
  const NextOrdinals order_;
  const BatchLoader::Options options_;
  std::atomic<bool> stopped_{false};

  std::mutex drawing_;  // held while ordinals are drawn; taken before mutex_
  uint64_t drawn_ = 0;  // the number of the next batch

  std::mutex mutex_;
  std::condition_variable room_;   // a batch was given out, or there is nothing more to draw
  std::condition_variable ready_;  // a batch was finished, or it is known which is the last one
  std::vector<std::optional<Result<Loaded>>> ring_;
  uint64_t given_ = 0;     // batches that were given out
  uint64_t end_ = kNever;  // how many there are

  std::vector<std::thread> threads_;
};

}  // namespace ofindex
