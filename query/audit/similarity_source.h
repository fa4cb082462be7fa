#pragma once

#include <cstdint>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "query/audit/chosen_records.h"
#include "query/audit/compared_bytes.h"
#include "query/audit/similarity_hash.h"
#include "query/dataset.h"
#include "query/decoding/feature_spec.h"
#include "query/sampling/sets/view.h"

namespace ofindex {

struct SimilarityRequest {
  const Dataset* dataset = nullptr;
  const View* rows = nullptr;             ///< only these records; null: all
  uint64_t first_number = 0;              ///< of the record 0
  const BytesDecoder* decoder = nullptr;  ///< makes a hash of a byte string: SimilarityHash::kBytes bytes
  unsigned threads = 1;
};

/// Reads the records of a dataset, and adds an entry for each of them to `entries`: the hash of the first byte
/// string in the feature. Where the decoder refuses it or finds it empty, which is counted, the hash is one of the
/// bytes: near to that of the same bytes alone. Adds the records to progress.records_done. Errors: kUsage if the
/// decoder makes no hash of that size; kStale if a shard was changed; kIndex, kIo, kLimit, kInterrupted.
[[nodiscard]] Result<RecordFacts> CollectSimilarity(const SimilarityRequest& request, const ComparedBytes& bytes,
                                                    std::vector<SimilarityEntry>& entries, Progress& progress);

}  // namespace ofindex
