#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "query/audit/record_groups.h"
#include "query/audit/similarity_hash.h"

namespace ofindex {

/// Groups of records with like hashes.
struct NearGroups {
  RecordGroups groups;             ///< of at least two records, ascending by the first; each group ascending
  std::vector<uint8_t> distances;  ///< of groups.records(): bits in which the nearest other one differs
};

inline constexpr size_t kMaxNearEntries = std::numeric_limits<uint32_t>::max();

/// Groups records such that any two whose hashes differ in at most `distance` bits are in one group, and each record is
/// in a group only through such pairs: connected components. All pairs are found. `distance` is at most
/// SimilarityHash::kMaxDistance, and there are at most kMaxNearEntries entries. The result does not depend on the
/// number of threads, or on the order of `entries`.
///
/// Time: hashes are compared if one of their 8 parts of 16 bits differs in at most distance / 8 bits: n different
/// hashes of photographs in some n * n / 120 pairs at a distance of 16 to 23, and n * n / 23 at 31. Hashes
/// that all share a part are all compared. Memory: 100 bytes for each entry, 5 more for each thread, and 60 for each
/// record in a group. Errors: kLimit, kInterrupted.
[[nodiscard]] Result<NearGroups> GroupNear(std::vector<SimilarityEntry> entries, unsigned distance, unsigned threads,
                                           const Progress& progress);

}  // namespace ofindex
