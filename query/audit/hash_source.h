#pragma once

#include <cstdint>

#include "base/progress.h"
#include "base/result.h"
#include "index/keys/entry_sorter.h"
#include "query/audit/chosen_records.h"
#include "query/audit/compared_bytes.h"
#include "query/dataset.h"
#include "query/sampling/sets/view.h"

namespace ofindex {

struct HashRequest {
  const Dataset* dataset = nullptr;
  const View* rows = nullptr;  ///< only these records; null: all
  uint64_t first_number = 0;   ///< of the record 0
  bool check_shards = true;    ///< refuse stored hashes of a shard that is no longer the indexed file
  unsigned threads = 1;
};

/// Hands an entry for each compared record to `sorter`: the hash of its bytes, and its number. Hashes that the index
/// stores are taken from it; otherwise the records are read. Adds the records to progress.records_done. Errors: kStale
/// if a shard was changed; kIndex, kIo, kLimit, kInterrupted.
[[nodiscard]] Result<RecordFacts> CollectHashes(const HashRequest& request, const ComparedBytes& bytes,
                                                EntrySorter& sorter, Progress& progress);

}  // namespace ofindex
