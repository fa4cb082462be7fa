#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace ofindex {

/// The file that stands in a folder while the files of a set are renamed into it one by one, because the folder cannot
/// be exchanged as a whole. Where a writer was killed in between it stays, and says that the set is a mix.
inline constexpr std::string_view kUnfinishedName = "_ofindex_unfinished";

/// Marks `folder`; durable when it returns. `shard` is the name of the one file in it that is not to be relied on;
/// empty: none of them is. Returns false if the folder had that mark already: a writer that then fails without changing
/// anything leaves it. Errors: kIo, kLocked; kFormat  another set in the folder is marked already.
[[nodiscard]] Result<bool> MarkUnfinished(const std::string& folder, const std::string& shard);

/// Takes the mark off again; durable when it returns. Errors: kIo.
[[nodiscard]] Result<void> UnmarkUnfinished(const std::string& folder);

/// Errors: kFormat  a mark in `folder` covers the file `name` in it; kIo.
[[nodiscard]] Result<void> CheckFinished(const std::string& folder, const std::string& name);

}  // namespace ofindex
