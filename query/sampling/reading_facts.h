#pragma once

#include "base/result.h"
#include "mmap/record_reader.h"
#include "query/dataset.h"
#include "query/sampling/block_choice.h"
#include "query/sampling/sets/view.h"

namespace ofindex {

/// Returns the facts for ChooseBlock() about `dataset`: its size, this machine's memory, and the storage of its first
/// shard. Errors: those of Snapshot::Catalog.
[[nodiscard]] Result<ReadingFacts> ReadingFactsOf(const Dataset& dataset);

/// Returns the records that can be read: all but those that are gone. Needs the map alone, not the columns. Errors:
/// kIndex.
[[nodiscard]] Result<View> PresentRecords(const RecordReader& reader);

}  // namespace ofindex
