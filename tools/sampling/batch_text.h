#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "query/columns/snapshot.h"
#include "query/sampling/lengths/length_batches.h"
#include "query/sampling/sampler.h"
#include "tools/shell/context.h"
#include "tools/shell/output.h"

namespace ofindex {

/// A request for batches of bounded length, or of packed rows.
struct BatchRequest {
  BatchLimits limits = {};
  std::string by = {};  ///< the column of lengths; empty: payload bytes
  uint64_t most = 0;    ///< batches or rows to print
  Slice slice = {};     ///< the rank that reads them
  Tail tail = Tail::kExact;
};

/// Prints batches cut from the order of `whole`, a sampler for a single rank, or the rows of packed ones: one per line,
/// or as --json and --jsonl specify. Of rows, it also says how many tokens they have, and how much is padding.
///
/// Errors: kUsage if the column does not exist or does not hold lengths, if the limits are invalid, or if a record is
/// too long for a row; kInterrupted; kIo; if the lengths are those of payloads, the errors of opening the shards.
[[nodiscard]] Result<void> PrintBatches(const Sampler& whole, const std::shared_ptr<const Snapshot>& snapshot,
                                        const BatchRequest& request, const Context& context, Output& out);

}  // namespace ofindex
