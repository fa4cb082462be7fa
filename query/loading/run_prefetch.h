#pragma once

#include <cstdint>
#include <memory>

#include "mmap/record_reader.h"
#include "query/loading/batch_loader.h"
#include "query/sampling/orders/epoch_order.h"
#include "query/sampling/sets/view.h"

namespace ofindex {

/// Wraps `order`, which visits the records of `reader` in runs of about `run` neighbours, several runs at a time. When
/// the order first reaches a run, the wrapper asks the system to read the whole run in the background, instead of one
/// page per record.
[[nodiscard]] NextOrdinals PrefetchRuns(NextOrdinals order, std::shared_ptr<const RecordReader> reader, uint64_t run);

/// Does the same with whole batches.
[[nodiscard]] NextBatch PrefetchRuns(NextBatch order, std::shared_ptr<const RecordReader> reader, uint64_t run);

/// Returns how many neighbours to read together when a sampler of `method` and `view` reaches one of them: the run of a
/// block order; for a global shuffle of small records that fit into memory together, as many as fill 256 KiB, since all
/// records are read in the end. Returns 0 if each record is to be read alone.
[[nodiscard]] uint64_t RunToPrefetch(const SamplingMethod& method, const View& view, const RecordReader& reader);

}  // namespace ofindex
