#pragma once

#include <string>
#include <vector>

namespace ofindex {

/// A name in an index, with a note for the person who looks for it: its type or kinds.
struct IndexName {
  std::string text;
  std::string note;
};

enum class NamesOf { kColumns, kFeatures };

/// Returns the names of the columns or of the features in the index `name`, or in that of the DATA `name`. Returns none
/// if there is no index, or if it cannot be read.
[[nodiscard]] std::vector<IndexName> NamesOfIndex(const std::string& name, NamesOf which);

/// Returns the name of a feature as `build --columns` reads it: with a backslash before a comma, for example.
[[nodiscard]] std::string EscapedFeature(const std::string& name);

/// Returns the paths that begin with `begun` and that are, or lead to, an index: indexes, DATA that have one, and
/// folders, which end in a slash. Sorted; names that begin with a dot only if `begun` names one so.
[[nodiscard]] std::vector<std::string> IndexPathsFrom(const std::string& begun);

}  // namespace ofindex
