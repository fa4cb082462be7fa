#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "query/columns/snapshot.h"
#include "query/sampling/orders/block_order.h"
#include "tools/shell/context.h"

namespace ofindex {

/// Parses the value of --block, with that of --lanes: "auto" or a number of records. Empty, and "auto" if runs are not
/// faster than single records, mean a global shuffle, which is none. Prints why "auto" chose what it did.
///
/// Errors: kUsage if `text` is neither; those of opening the shards, which "auto" needs.
[[nodiscard]] Result<std::optional<BlockShape>> ParseBlock(const std::string& text, std::optional<uint64_t> lanes,
                                                           const std::shared_ptr<const Snapshot>& snapshot,
                                                           const Context& context);

/// Prints what a global shuffle costs if shards are compressed, and suggests a cheaper order. Prints nothing if the
/// cost cannot be measured, since the order itself does not need the shards.
void AdviseBlocks(const std::shared_ptr<const Snapshot>& snapshot, const Context& context);

}  // namespace ofindex
