#pragma once

#include <optional>
#include <string>

#include "base/result.h"

namespace ofindex {

/// Returns the index that `name` means wherever a verb takes one: `name` itself if it ends in .ofidx or is an SQLite
/// file, otherwise the index of that DATA, below IndexFolder() or else next to it. Errors: kUsage if `name` is the map
/// of an index; kNotFound if there is no index: see NoIndex; kIo if that cannot be told; those of IndexPathOf.
[[nodiscard]] Result<std::string> ResolveIndex(const std::string& name);

/// Returns the same, or nullopt if there is no index: for callers that can do without. Errors: those of ResolveIndex
/// but kNotFound.
[[nodiscard]] Result<std::optional<std::string>> FindIndex(const std::string& name);

}  // namespace ofindex
