#pragma once

#include <string>
#include <vector>

#include "base/progress.h"
#include "base/result.h"

namespace ofindex {

/// A file that may be a shard.
struct Candidate {
  std::string path;         ///< to open it by, from the working directory
  std::string stored_path;  ///< as the index stores it, relative to the index
};

/// A file that was found and is not taken, and why.
struct SkippedFile {
  std::string path;  ///< relative to the index
  std::string reason;
};

/// The files that DATA arguments name, before anything is known of what is in them.
struct ShardSet {
  std::vector<Candidate> candidates;  ///< in natural order of their stored paths, each inode once
  std::vector<SkippedFile> skipped;   ///< links to files that are there already, FIFOs and the like
  std::vector<std::string> missing;   ///< of a set NAME-SSSSS-of-NNNNN: the paths that it should have, too
  std::vector<std::string> sources;   ///< the arguments, relative to the index; what `@-` listed takes its place
};

/// Finds the files of `data`: files, folders (searched with all that is in them, except names that begin with `.` or
/// `_`, those of indexes, and drafts of writers), globs, and lists (`@FILE`, `@-` for standard input: one path a line).
///
/// Never opens a file but a list. The outcome does not depend on the order in which a folder is listed.
/// Errors: kIo; kUsage  an argument matches nothing; kFormat  two files claim one number, as part-1 and part-01 do;
/// kInterrupted.
[[nodiscard]] Result<ShardSet> FindShards(const std::vector<std::string>& data, const std::string& index_path,
                                          const Progress& progress = {});

}  // namespace ofindex
