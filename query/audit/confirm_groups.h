#pragma once

#include <cstdint>
#include <span>

#include "base/progress.h"
#include "base/result.h"
#include "index/keys/entry_sorter.h"
#include "query/audit/compared_bytes.h"
#include "query/audit/record_groups.h"

namespace ofindex {

/// Returns the groups of entries with the same hash, each with at least two records, ascending. Memory: that of the
/// groups. Errors: kIo, kInterrupted.
[[nodiscard]] Result<RecordGroups> GroupsByHash(EntrySorter& sorter, const Progress& progress);

/// Groups whose records have the same bytes.
struct ConfirmedGroups {
  RecordGroups groups;      ///< in no order; each group ascending
  uint64_t collisions = 0;  ///< records whose hash another record with other bytes has
};

/// Divides groups by the bytes of their records, all of which are read. `bytes` are those of each dataset. Equal hashes
/// of different bytes, even many of them, take no more than a few reads per record. Errors: those of
/// ComparedBytes::Read; kInterrupted, kLimit.
[[nodiscard]] Result<ConfirmedGroups> ConfirmGroups(const RecordGroups& candidates, const RecordNumbers& numbers,
                                                    std::span<const ComparedBytes> bytes, unsigned threads,
                                                    const Progress& progress);

}  // namespace ofindex
