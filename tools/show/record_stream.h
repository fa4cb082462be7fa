#pragma once

#include <functional>

#include "base/bytes.h"
#include "base/result.h"
#include "query/dataset.h"
#include "tools/shell/context.h"
#include "tools/show/lost_shards.h"

namespace ofindex {

/// Where the next ordinal comes from: false at the end. Errors: those of a list of ordinals that is read on the way.
using NextOrdinal = std::function<Result<bool>(uint64_t&)>;

/// What is done with each record.
using TakePayload = std::function<Result<void>(uint64_t ordinal, ByteView payload)>;

/// Fetches records in batches of bounded size and hands them on, in the order in which `next` names them. Bad records
/// are reported on standard error and passed over. Returns the exit code: 3 if there was one, else 0. Errors: those of
/// RecordReader::CopyInto; kInterrupted; those of `next` and `take`, where kDamage is a bad record, too.
///
/// With `lost`, shards that cannot be read go there, and the records of all others are handed on. Its exit code is not
/// in the one that is returned.
[[nodiscard]] Result<int> StreamRecords(const Dataset& dataset, const NextOrdinal& next, const TakePayload& take,
                                        const Context& context, LostShards* lost = nullptr);

}  // namespace ofindex
