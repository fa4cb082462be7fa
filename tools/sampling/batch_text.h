#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "query/columns/snapshot.h"
#include "query/sampling/sampler.h"
#include "tools/shell/context.h"
#include "tools/shell/output.h"

namespace ofindex {

/// A request for batches of bounded length.
struct BatchRequest {
  uint64_t total = 0;   ///< the sum of lengths that a batch may have
  std::string by = {};  ///< the column of lengths; empty: payload bytes
  uint64_t most = 0;    ///< batches to print
  Slice slice = {};     ///< the rank that reads them
  Tail tail = Tail::kExact;
};

/// Prints batches cut from the order of `whole`, a sampler for a single rank: one per line, or as --json and --jsonl
/// specify.
///
/// Errors: kUsage if the column does not exist or does not hold lengths, or if the limits are invalid; kInterrupted;
/// kIo; if the lengths are those of payloads, the errors of opening the shards.
[[nodiscard]] Result<void> PrintBatches(const Sampler& whole, const std::shared_ptr<const Snapshot>& snapshot,
                                        const BatchRequest& request, const Context& context, Output& out);

}  // namespace ofindex
