#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "query/sampling/sampler.h"
#include "tools/sampling/sampled_index.h"
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

/// Prints batches of the order of `whole`, which is of a single rank: one a line, or in the forms of --json and
/// --jsonl.
///
/// Errors: kUsage  the column does not exist or is no length, or the limits are invalid
///         kInterrupted, kIo, and those of opening the shards, which payload bytes need
[[nodiscard]] Result<void> PrintBatches(const Sampler& whole, const SampledIndex& sampled, const BatchRequest& request,
                                        const Context& context, Output& out);

}  // namespace ofindex
