#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "index/database/index_file.h"
#include "index/keys/key_builder.h"

namespace ofindex {

/// Makes the key of the published index at `index` by one feature, whether or not there is one. Errors: those of
/// OpenIndex and BuildKey.
[[nodiscard]] Result<KeyReport> MakeKey(const std::string& index, const KeyOptions& options, Progress& progress);

/// Makes those keys of the index at `index` by features `names` that are missing, damaged, or of another build. Errors:
/// as MakeKey.
[[nodiscard]] Result<std::vector<KeyReport>> MakeMissingKeys(const std::string& index,
                                                             const std::vector<std::string>& names,
                                                             const KeyOptions& options, Progress& progress);

/// The keys of an index that was updated.
struct RefreshedKeys {
  std::vector<KeyReport> made;       ///< again, because they were of the index before
  std::vector<std::string> dropped;  ///< features by which no key can be made any more
};

/// Makes the keys next to the updated index at `index` again, unless they belong to it. A key by a feature that no
/// record has any more, or that has floats now, is removed. Errors: as MakeKey.
[[nodiscard]] Result<RefreshedKeys> RefreshKeys(const std::string& index, const KeyOptions& options,
                                                Progress& progress);

/// Reads all keys next to an open index. Returns what is wrong with those that are damaged or belong to another build.
/// Errors: kIo if the folder cannot be listed; kInterrupted.
[[nodiscard]] Result<std::vector<std::string>> FindKeyDamage(const std::shared_ptr<const IndexFile>& index,
                                                             const Progress& progress);

/// Removes the keys next to the index at `index` that do not belong to it. Returns the names of their features.
/// Errors: kIo if the folder cannot be listed.
[[nodiscard]] Result<std::vector<std::string>> DropStaleKeys(const std::string& index);

}  // namespace ofindex
