#pragma once

#include <cstdint>
#include <memory>

#include "mmap/record_reader.h"
#include "query/loading/batch_loader.h"
#include "query/sampling/orders/epoch_order.h"
#include "query/sampling/sets/view.h"

namespace ofindex {

/// `order`, which gives the records of `reader` in runs of about `run` neighbours, some of each run at a time: when it
/// first comes to a run, the system is asked to read all of it in the background, instead of a page for each record.
[[nodiscard]] NextOrdinals PrefetchRuns(NextOrdinals order, std::shared_ptr<const RecordReader> reader, uint64_t run);

/// Neighbours that should be read together where a sampler of `law` and `view` comes to one of them: the run of a block
/// order; of a global shuffle of small records, all of which fit into memory, as many as make 256 KiB, since all are
/// read in the end. 0: each record alone.
[[nodiscard]] uint64_t RunToPrefetch(const SampleLaw& law, const View& view, const RecordReader& reader);

}  // namespace ofindex
