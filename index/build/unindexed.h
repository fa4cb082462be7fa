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

/// The files of a set that an index does not have.
struct UnindexedFiles {
  std::vector<Candidate> record_files;  ///< a build would take them
  std::vector<SkippedFile> skipped;     ///< a build would skip them, in natural order
};

/// Sorts `candidates`, which the index at hand does not have, and `skipped`, as FindShards gives it, into record files
/// and others. A file that is unchanged since the build skipped it (SkippedFile::State) is not read. A file that cannot
/// be read is skipped. Errors: kIndex, kIo, kLimit.
[[nodiscard]] Result<UnindexedFiles> SortUnindexed(CatalogReader& catalog, const std::vector<Candidate>& candidates,
                                                   std::vector<SkippedFile> skipped, const FormatChoice& choice);

/// Where the DATA of an index is.
struct DataSearch {
  std::string index;       ///< path of the index
  ShardPaths paths;        ///< of its shards
  bool elsewhere = false;  ///< `paths` lead to a copy of the dataset
};

/// Searches the DATA that an index of `shards` was built of, as far as it is still there, for files that the index does
/// not have. Of a copy elsewhere only what lies with the shards is searched. DATA that a build would refuse are one
/// skipped file. Errors: kIndex, kIo, kLimit, kInterrupted.
[[nodiscard]] Result<UnindexedFiles> FindUnindexed(CatalogReader& catalog, const std::vector<ShardRow>& shards,
                                                   const DataSearch& search, const Progress& progress);

}  // namespace ofindex
