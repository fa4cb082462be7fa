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

/// Returns the names of the columns or of the features in the index `name`, or in that of the DATA `name`, which is
/// below `index_folder` if that is not empty and has it. Returns none if there is no index, or if it cannot be read.
[[nodiscard]] std::vector<IndexName> NamesOfIndex(const std::string& name, const std::string& index_folder,
                                                  NamesOf which);

/// Returns the name of a feature as `build --columns` reads it: with a backslash before a comma, for example.
[[nodiscard]] std::string EscapedFeature(const std::string& name);

enum class PathsOf {
  kIndexes,  ///< indexes, and DATA that have one
  kFiles,
  kFolders,
};

/// Returns the paths that begin with `begun` and that are, or lead to, one of `which`: folders too, which end in a
/// slash. Sorted; names that begin with a dot only if `begun` names one so.
[[nodiscard]] std::vector<std::string> PathsFrom(const std::string& begun, PathsOf which);

}  // namespace ofindex
