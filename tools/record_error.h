#pragma once

#include <cstdint>

#include "base/result.h"
#include "query/dataset.h"

namespace ofindex {

/// `error`, of the payload of record `ordinal`, with where that record is: "<shard>@<byte>: record 7: ...". The hint
/// stays, or names the command that shows the payload.
[[nodiscard]] Error InRecord(const Dataset& dataset, uint64_t ordinal, Error error);

}  // namespace ofindex
