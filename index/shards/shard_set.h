#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "index/catalog/skipped_file.h"

namespace ofindex {

/// A file that may be a shard.
struct Candidate {
  std::string path;         ///< to open it, relative to the working directory
  std::string stored_path;  ///< as stored in the index, relative to the index
};

/// The files named by DATA arguments, before their contents are examined.
struct ShardSet {
  std::vector<Candidate> candidates;  ///< in natural order of their stored paths, each inode once
  std::vector<SkippedFile>
      skipped;  ///< second names of files, broken links, FIFOs, temporary files of writers, unreadable files
  std::vector<std::string> missing;     ///< paths missing from a set NAME-SSSSS-of-NNNNN
  std::vector<std::string> sources;     ///< the arguments, relative to the index; the paths read from `@-` replace it
  std::vector<std::string> lost_lines;  ///< relative paths in lists among the first `known` arguments that lead nowhere
};

/// Finds the files of `data`: files, folders (searched recursively, except names that begin with `.` or `_` and those
/// of indexes; temporary files of writers are skipped), globs, and lists (`@FILE`, `@-` for standard input: one path
/// per line). The index at `index_path` and its map count only if an argument names them.
///
/// Opens no file except lists, that index and its map. The result does not depend on the order in which a folder is
/// listed. An unreadable file or folder below DATA is listed as skipped. Errors: kIo if an argument cannot be read;
/// kUsage if an argument matches nothing, unless it is one of the first `known`, the DATA of an index whose files may
/// be gone since, or a file that such a list names; kFormat if two files claim the same number, such as part-1 and
/// part-01, or a writer was interrupted while it replaced the set; kInterrupted.
[[nodiscard]] Result<ShardSet> FindShards(const std::vector<std::string>& data, const std::string& index_path,
                                          const Progress& progress = {}, size_t known = 0);

/// Returns the files in `folder` and all folders below it, as FindShards finds them, in natural order: the files that a
/// build of `folder` would examine. Their stored paths are relative to `folder`. Unreadable files, files that claim the
/// same number, and unfinished sets are not errors here; files of the last two kinds are returned too. Errors: kIo if
/// `folder` cannot be listed.
[[nodiscard]] Result<std::vector<Candidate>> FilesBelow(const std::string& folder);

}  // namespace ofindex
