#pragma once

#include <cstdint>
#include <memory>

#include "mmap/record_reader.h"
#include "query/loading/batch_loader.h"
#include "query/sampling/orders/epoch_order.h"
#include "query/sampling/sets/view.h"

namespace ofindex {

/// Wraps `order`, which gives the records of `reader` in runs of about `run` neighbours, some of each run at a time:
/// when it first reaches a run, the system is asked to read the whole run in the background, instead of one page for
/// each record.
[[nodiscard]] NextOrdinals PrefetchRuns(NextOrdinals order, std::shared_ptr<const RecordReader> reader, uint64_t run);

/// Returns how many neighbours to read together when a sampler of `law` and `view` reaches one of them: the run of a
/// block order; for a global shuffle of small records that fit into memory together, as many as make 256 KiB, since all
/// are read in the end. 0: each record alone.
[[nodiscard]] uint64_t RunToPrefetch(const SampleLaw& law, const View& view, const RecordReader& reader);

}  // namespace ofindex
