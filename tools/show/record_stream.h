#pragma once

#include <functional>

#include "base/result.h"
#include "mmap/lent_record.h"
#include "query/dataset.h"
#include "tools/shell/context.h"
#include "tools/show/lost_shards.h"

namespace ofindex {

/// Returns the next ordinal, or false at the end. Errors: those of reading a list of ordinals.
using NextOrdinal = std::function<Result<bool>(uint64_t&)>;

/// Called with each record.
using TakeRecord = std::function<Result<void>(uint64_t ordinal, const LentRecord& record)>;

/// How large records are passed on: as copies, or lent if they can be.
enum class LargeRecords { kCopied, kLent };

/// Reads records in batches of bounded size and passes them to `take`, in the order given by `next`. Bad records are
/// reported on standard error and skipped. Returns the exit code: 3 if any record was bad, otherwise 0. Errors: those
/// of RecordReader::CopyInto; kInterrupted; those of `next`; those of `take`, except kDamage, which also means that the
/// record is bad. LentRecord::Check() makes kStale one of these: what `take` has written cannot be taken back.
///
/// If `lost` is not null, unreadable shards are added to it, and the records of all other shards are passed on. The
/// returned exit code does not reflect the shards in `lost`.
[[nodiscard]] Result<int> StreamRecords(const Dataset& dataset, const NextOrdinal& next, const TakeRecord& take,
                                        const Context& context, LargeRecords large, LostShards* lost = nullptr);

}  // namespace ofindex
