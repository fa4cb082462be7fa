#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "query/decoding/batch_decoder.h"
#include "query/decoding/payload_source.h"
#include "query/loading/batch_queue.h"
#include "query/loading/packed_rows.h"

namespace ofindex {

/// One step of an order: the first `count` places were filled, and `position` is the epoch position after them.
struct OrderStep {
  size_t count = 0;
  uint64_t position = 0;
};

/// Fills places with the next ordinals of an epoch, all of them unless the epoch ends. Called by one thread at a time,
/// and never again after a call that did not fill all places.
using NextOrdinals = std::function<OrderStep(std::span<uint64_t>)>;

/// The end of a batch: the epoch position after it, and whether another batch may follow.
struct BatchStep {
  uint64_t position = 0;
  bool more = true;
  std::optional<RowPlan> rows = {};  ///< into which the batch is to be packed
};

/// Appends the ordinals of the next batch of an epoch to an empty vector; batches may differ in size. Called by one
/// thread at a time, and never again after an error, an empty batch, or a step without `more`.
using NextBatch = std::function<Result<BatchStep>(std::vector<uint64_t>&)>;

class LoaderState;

/// Decodes the batches of an epoch ahead, on its own threads, and returns them in order.
///
/// For one consumer: Next() is called by one thread at a time. The threads block all signals except those raised by a
/// fault in the thread itself, so that Ctrl-C reaches the waiting thread. In a forked child the threads do not exist:
/// Next() is an error there, and the destructor leaves all memory as it is.
class BatchLoader {
 public:
  struct Options {
    uint64_t batch_size = 256;  ///< records, 1 or more; the last batch may have fewer; only for a NextOrdinals
    unsigned threads = 1;       ///< that decode, one batch each; with 0, or if the system gives none, Next() decodes
    size_t prefetch = 0;        ///< batches ready or in progress beyond the one returned; with 0, see BatchQueue
  };

  /// Starts reading. Errors: kUsage if the batch size is 0, or it or the prefetch is absurdly large; kLimit.
  [[nodiscard]] static Result<std::unique_ptr<BatchLoader>> Start(std::shared_ptr<const PayloadSource> source,
                                                                  std::shared_ptr<const BatchDecoder> decoder,
                                                                  NextOrdinals order, Options options);

  /// Does the same with batches of any size, each of which `order` determines. Its errors are returned by Next().
  [[nodiscard]] static Result<std::unique_ptr<BatchLoader>> Start(std::shared_ptr<const PayloadSource> source,
                                                                  std::shared_ptr<const BatchDecoder> decoder,
                                                                  NextBatch order, Options options);

  /// Stops the threads, in the middle of a batch if necessary, and waits for them.
  ~BatchLoader();
  BatchLoader(const BatchLoader&) = delete;
  BatchLoader& operator=(const BatchLoader&) = delete;

  using Loaded = LoadedBatch;
  using Outcome = LoadOutcome;

  /// Sets `out` to the next batch. Waits for at most `patience`, and never longer than a day; without threads, as long
  /// as it takes to decode one batch. Errors: those of BatchDecoder::Decode and of PackRows, returned instead of the
  /// batch that failed, after which there are no more batches; kUsage if this is a forked child.
  [[nodiscard]] Result<Outcome> Next(std::chrono::milliseconds patience, Loaded& out);

 private:
  explicit BatchLoader(std::unique_ptr<LoaderState> state);

  std::unique_ptr<LoaderState> state_;
  pid_t process_;  // that owns the threads
};

}  // namespace ofindex
