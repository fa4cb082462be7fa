#pragma once

#include <string>

#include "base/result.h"
#include "query/columns/column_store.h"
#include "query/filter/selection.h"
#include "query/sampling/sets/view.h"
#include "tools/options/command_line.h"
#include "tools/shell/context.h"

namespace ofindex {

/// Adds `--ids FILE`, the name of a list of ordinals. `help` says what becomes of its records.
Option AddIds(Verb& verb, std::string& path, const char* help);

/// Returns the records of the list `path`, each once, in memory that does not grow with the list. Errors: those of
/// OrdinalList; kOutOfRange if some of them are gone.
[[nodiscard]] Result<View> ListedRecords(const std::string& path, const ColumnStore& columns, const Context& context);

/// Returns those of the selected records that `view` has, too.
[[nodiscard]] Selection Within(const Selection& selection, const View& view);

/// Returns the records of `view` with ordinals in [begin, end) as a bitmap, lowest ordinal first; empty if there are
/// none.
[[nodiscard]] std::vector<uint64_t> BitsOf(const View& view, uint64_t begin, uint64_t end);

}  // namespace ofindex
