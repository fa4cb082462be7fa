#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace ofindex {

/// The file that marks a folder while the files of a set are renamed into it one by one, because the folder cannot be
/// exchanged as a whole. If the writer is killed, the mark stays, and shows that the set is a mix of old and new files.
inline constexpr std::string_view kUnfinishedName = "_ofindex_unfinished";

/// Marks `folder`; the mark is on disk when this returns. `shard` is the name of the only unreliable file in the
/// folder; if it is empty, all files are unreliable. Returns false if the folder already had that mark, which a writer
/// must leave in place if it fails without changing anything. Errors: kIo, kLocked; kFormat if another set in the
/// folder is already marked.
[[nodiscard]] Result<bool> MarkUnfinished(const std::string& folder, const std::string& shard);

/// Removes the mark; the removal is on disk when this returns. Errors: kIo.
[[nodiscard]] Result<void> UnmarkUnfinished(const std::string& folder);

/// Errors: kFormat if a mark in `folder` covers the file `name` in it; kIo.
[[nodiscard]] Result<void> CheckFinished(const std::string& folder, const std::string& name);

}  // namespace ofindex
