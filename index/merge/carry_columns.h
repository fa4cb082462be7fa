#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "index/attachments/carried_columns.h"
#include "index/columns/column.h"

namespace ofindex {

/// Writes the columns that are attached to `sources` for the index that was written to `written`, whose features are
/// `features`, and that will be published as `index`. Returns nothing if there are none. Errors: those of
/// CarriedColumns::Write.
[[nodiscard]] Result<std::optional<CarriedColumns>> CarryColumns(const std::vector<CarriedSource>& sources,
                                                                 const std::string& written, const std::string& index,
                                                                 const std::vector<FeatureRow>& features);

/// Lets the columns that were carried be those of the index at `index`, which was published: until then, readers take
/// them from the second file. If another process is writing the index, that is left to the next one. Errors: kIndex,
/// kStale, kIo.
[[nodiscard]] Result<void> SettleColumns(const std::string& index);

}  // namespace ofindex
