#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "index/attachments/attachment_file.h"

namespace ofindex {

// The file of attached columns next to an index. If an update or merge gives records new ordinals, its columns are
// first written to a second file, NAME.ofidx-attached-next; then the index is published, and then the second file takes
// the place of the first. So whenever a process is killed, one of the two belongs to the index.

/// An index, as far as attached columns depend on it.
struct AttachedIndex {
  std::string path;
  std::string shown;                       ///< in messages
  std::vector<GenerationRow> generations;  ///< the last one is that of the index
  std::vector<AttachedBlock> blocks;       ///< those of missing shards included
};

/// Returns whether there may be attached columns, without opening a file.
[[nodiscard]] bool MayHaveAttachments(const std::string& index);

/// Returns the file of the columns that are attached to the index; null if there is none. Errors: kStale if a file is
/// there whose columns are not those of these records; kIndex, kIo.
[[nodiscard]] Result<std::shared_ptr<const AttachmentFile>> OpenBeside(const AttachedIndex& index);

/// Ends what a killed process has begun: the second file takes the place of the first, or goes. The caller has the lock
/// of the index. Errors: kIo.
[[nodiscard]] Result<void> SettleBeside(const AttachedIndex& index);

}  // namespace ofindex
