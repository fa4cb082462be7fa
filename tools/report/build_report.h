#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "index/build/builder.h"
#include "tools/shell/context.h"

namespace ofindex {

/// Prints what `verb`, build or merge, has made in `seconds`: the summary or the document, notes, and errors for damage
/// and unreadable files. Returns the exit code. Errors: kIo.
[[nodiscard]] Result<int> PrintBuild(const BuildReport& report, const std::string& verb, double seconds,
                                     const Context& context);

/// Prints `text`, the summary or document of what `verb` has made, and errors for damage and unreadable files. Returns
/// the exit code. Errors: kIo.
[[nodiscard]] Result<int> PrintOutcome(const BuildReport& report, const std::string& verb, const std::string& text,
                                       const Context& context);

/// Adds notes on a map that was rebuilt, and on features that have no column or are not in the index.
void AddNotesOnIndex(const BuildReport& report, const std::string& verb, std::vector<std::string>& notes);

}  // namespace ofindex
