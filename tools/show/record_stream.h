#pragma once

#include <functional>

#include "base/bytes.h"
#include "base/result.h"
#include "query/dataset.h"
#include "tools/shell/context.h"
#include "tools/show/lost_shards.h"

namespace ofindex {

/// Returns the next ordinal, or false at the end. Errors: those of reading a list of ordinals.
using NextOrdinal = std::function<Result<bool>(uint64_t&)>;

/// Called with each record.
using TakePayload = std::function<Result<void>(uint64_t ordinal, ByteView payload)>;

/// Reads records in batches of bounded size and passes them to `take`, in the order given by `next`. Bad records are
/// reported on standard error and skipped. Returns the exit code: 3 if any record was bad, otherwise 0. Errors: those
/// of RecordReader::CopyInto; kInterrupted; those of `next`; those of `take`, except kDamage, which also means that the
/// record is bad.
///
/// If `lost` is not null, unreadable shards are added to it, and the records of all other shards are passed on. The
/// returned exit code does not reflect the shards in `lost`.
[[nodiscard]] Result<int> StreamRecords(const Dataset& dataset, const NextOrdinal& next, const TakePayload& take,
                                        const Context& context, LostShards* lost = nullptr);

}  // namespace ofindex
