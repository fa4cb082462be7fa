#pragma once

#include <string>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "index/catalog/catalog_reader.h"
#include "index/catalog/skipped_file.h"
#include "index/shards/detect.h"
#include "index/shards/shard_set.h"
#include "mmap/shard_paths.h"

namespace ofindex {

/// Files of a set that are not in the index.
struct UnindexedFiles {
  std::vector<Candidate> record_files;  ///< a build would add them
  std::vector<SkippedFile> skipped;     ///< a build would skip them, in natural order
};

/// Sorts `candidates`, which are not in the index, and `skipped`, as given by FindShards, into record files and others.
/// Does not read a file that is unchanged since the build skipped it (SkippedFile::state). An unreadable file counts as
/// skipped. Errors: kIndex, kIo, kLimit.
[[nodiscard]] Result<UnindexedFiles> SortUnindexed(CatalogReader& catalog, const std::vector<Candidate>& candidates,
                                                   std::vector<SkippedFile> skipped, const FormatChoice& choice);

/// The location of an index and of its DATA.
struct DataSearch {
  std::string index;       ///< path of the index
  ShardPaths paths;        ///< of its shards
  bool elsewhere = false;  ///< `paths` point to a copy of the dataset
};

/// Searches the DATA that the index with `shards` was built from, as far as it still exists, for files that are not in
/// the index. If the dataset was copied elsewhere, searches only DATA inside the common folder of its shards. DATA that
/// a build would refuse counts as one skipped file. Errors: kIndex, kIo, kLimit, kInterrupted.
[[nodiscard]] Result<UnindexedFiles> FindUnindexed(CatalogReader& catalog, const std::vector<ShardRow>& shards,
                                                   const DataSearch& search, const Progress& progress);

}  // namespace ofindex
