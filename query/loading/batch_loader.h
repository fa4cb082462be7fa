#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "base/result.h"
#include "query/decoding/batch_decoder.h"
#include "query/decoding/decoded_batch.h"
#include "query/decoding/payload_source.h"

namespace ofindex {

/// What an order gave: the first `count` places were filled, and `position` is that of the epoch after them.
struct OrderStep {
  size_t count = 0;
  uint64_t position = 0;
};

/// Fills places with the next ordinals of an epoch; fewer than there are places at its end alone. Called by one thread
/// at a time, and not again once it gave fewer.
using NextOrdinals = std::function<OrderStep(std::span<uint64_t>)>;

class LoaderState;

/// Reads the batches of an epoch ahead, on threads of its own, and gives them out in order.
///
/// For one user: Next() is called by one thread at a time. Its threads take no signals but those that a fault raises in
/// the thread itself, so that Ctrl-C goes to whoever waits for it. They do not exist in a forked child: there Next() is
/// an error, and the destructor leaves all memory as it is.
class BatchLoader {
 public:
  struct Options {
    uint64_t batch_size = 256;  ///< records, 1 or more; the last batch may have fewer
    unsigned threads = 1;       ///< that decode, each a batch; with 0, or if the system gives none, Next() decodes
    size_t prefetch = 4;        ///< batches that may be ready or under way beyond the one given out, 1 or more
  };

  /// Starts reading. Errors: kUsage  a batch size or prefetch of 0, or beyond all reason; kLimit.
  [[nodiscard]] static Result<std::unique_ptr<BatchLoader>> Start(std::shared_ptr<const PayloadSource> source,
                                                                  std::shared_ptr<const BatchDecoder> decoder,
                                                                  NextOrdinals order, Options options);

  /// Stops the threads, in the middle of a batch if need be, and waits for them.
  ~BatchLoader();
  BatchLoader(const BatchLoader&) = delete;
  BatchLoader& operator=(const BatchLoader&) = delete;

  struct Loaded {
    DecodedBatch batch = {};
    std::vector<uint64_t> ordinals = {};  ///< of its records
    uint64_t position = 0;                ///< of the epoch, after this batch
  };

  enum class Outcome {
    kBatch,   ///< there it is
    kEnd,     ///< all were given out, or an error was
    kNotYet,  ///< the next batch did not come in time; nothing is lost
  };

  /// Sets `out` to the next batch, for which it waits `patience` at the most, a day if that is more; with no threads,
  /// as long as it takes to decode one. Errors: those of BatchDecoder::Decode, in place of the batch that has them: it
  /// was the last one; kUsage  this is a forked child.
  [[nodiscard]] Result<Outcome> Next(std::chrono::milliseconds patience, Loaded& out);

 private:
  explicit BatchLoader(std::unique_ptr<LoaderState> state);

  std::unique_ptr<LoaderState> state_;
  pid_t process_;  // that has the threads
};

}  // namespace ofindex
