#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "base/bytes.h"
#include "index/columns/column.h"

namespace ofindex {

/// The totals of the features of one shard, by number: only kinds, counts and largest_bytes of the rows count. With
/// them the features of a dataset are exact when a shard goes, although nobody can read it any more.
using FeatureTotals = std::map<uint32_t, FeatureRow>;

/// Adds the totals of other records to `into`.
void MergeTotals(const FeatureRow& from, FeatureRow& into);

/// Convert totals to the bytes in an index (docs/index_format.md, "shard_feature") and back. ParseTotals returns
/// nullopt for anything that TotalsBytes cannot return for a shard of `records` records.
[[nodiscard]] std::vector<uint8_t> TotalsBytes(const FeatureTotals& totals);
[[nodiscard]] std::optional<FeatureTotals> ParseTotals(ByteView bytes, uint64_t records);

}  // namespace ofindex
