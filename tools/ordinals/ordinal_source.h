#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "query/dataset.h"
#include "query/sampling/sampler.h"
#include "tools/options/selecting.h"
#include "tools/shell/context.h"
#include "tools/show/record_stream.h"

namespace ofindex {

/// Returns the records of `view`, in its order.
[[nodiscard]] NextOrdinal OrdinalsOf(View view);

/// Returns these, in their order.
[[nodiscard]] NextOrdinal OrdinalsOf(std::vector<uint64_t> ordinals);

/// Returns the records of the list `path`, which is read as they are requested. Errors: those of OrdinalList.
[[nodiscard]] Result<NextOrdinal> OrdinalsListed(const std::string& path, const Dataset& dataset,
                                                 const Context& context);

/// Returns the records that `sampler` draws, up to the end of its epoch.
[[nodiscard]] NextOrdinal OrdinalsFrom(Sampler sampler);

/// Returns the records of the range `text`, without those that are gone. Errors: those of ParseOrdinals; kIndex.
[[nodiscard]] Result<NextOrdinal> OrdinalsOfRange(const std::string& text, const Dataset& dataset);

/// Returns the records of the range `text` for which `expression` holds. Errors: those of ParseOrdinals and of
/// SelectRecords.
[[nodiscard]] Result<NextOrdinal> OrdinalsWhere(const Expression& expression, const std::string& text,
                                                const Dataset& dataset, const Context& context);

}  // namespace ofindex
