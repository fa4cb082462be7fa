#pragma once

#include <string>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "index/catalog/skipped_file.h"

namespace ofindex {

/// A file that may be a shard.
struct Candidate {
  std::string path;         ///< to open it by, from the working directory
  std::string stored_path;  ///< as the index stores it, relative to the index
};

/// The files that DATA arguments name, before anything is known of what is in them.
struct ShardSet {
  std::vector<Candidate> candidates;  ///< in natural order of their stored paths, each inode once
  std::vector<SkippedFile>
      skipped;  ///< second names of files, broken links, FIFOs, drafts of writers, what cannot be read
  std::vector<std::string> missing;  ///< of a set NAME-SSSSS-of-NNNNN: the paths that it should have, too
  std::vector<std::string> sources;  ///< the arguments, relative to the index; what `@-` listed takes its place
};

/// Finds the files of `data`: files, folders (searched with all that is in them, except names that begin with `.` or
/// `_`, those of indexes; drafts of writers are skipped), globs, and lists (`@FILE`, `@-` for standard input: one path
/// a line). The index at `index_path` and its map count only where an argument names them.
///
/// Opens no file but lists, that index and its map. The outcome does not depend on the order in which a folder is
/// listed. A file or folder below DATA that the system does not show is among the skipped ones. Errors: kIo  an
/// argument cannot be read; kUsage  an argument matches nothing; kFormat  two files claim one number, as part-1 and
/// part-01 do, or a writer was stopped while it replaced the set; kInterrupted.
[[nodiscard]] Result<ShardSet> FindShards(const std::vector<std::string>& data, const std::string& index_path,
                                          const Progress& progress = {});

/// The files in `folder` and in all folders in it, as FindShards finds them, in natural order: those that a build of it
/// would look into. Their stored paths are relative to `folder`. Of what cannot be read nothing is said, nor of files
/// that claim one number, or that a writer has not finished. Errors: kIo  `folder` cannot be listed.
[[nodiscard]] Result<std::vector<Candidate>> FilesBelow(const std::string& folder);

}  // namespace ofindex
