#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "query/columns/snapshot.h"
#include "query/sampling/orders/block_order.h"
#include "tools/shell/context.h"

namespace ofindex {

/// Parses the value of --block, "auto" or a number of records; `lanes` is the value of --lanes. Returns no shape, which
/// means a global shuffle, if `text` is empty, or if it is "auto" and runs are not faster than single records. Prints
/// the reason for the choice of "auto".
///
/// Errors: kUsage if `text` is neither "auto" nor a number; for "auto", the errors of opening the shards.
[[nodiscard]] Result<std::optional<BlockShape>> ParseBlock(const std::string& text, std::optional<uint64_t> lanes,
                                                           const std::shared_ptr<const Snapshot>& snapshot,
                                                           const Context& context);

/// Prints what a global shuffle costs if shards are compressed, and suggests a cheaper order. Prints nothing if the
/// cost cannot be measured, since the order itself does not need the shards.
void AdviseBlocks(const std::shared_ptr<const Snapshot>& snapshot, const Context& context);

}  // namespace ofindex
