#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "index/attachments/attachment_file.h"
#include "index/catalog/catalog_reader.h"

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

/// Reads what there is to know of an index at `path`, which messages call `shown`. Errors: kIndex, kStale, kIo.
[[nodiscard]] Result<AttachedIndex> ReadAttachedIndex(CatalogReader& catalog, std::string path, std::string shown);

/// Returns false if there are no attached columns, without opening a file.
[[nodiscard]] bool MayHaveAttachments(const std::string& index);

/// Returns the file of the columns that are attached to the index; null if there is none. Errors: kStale if a file is
/// there whose columns are not those of these records; kIndex, kIo.
[[nodiscard]] Result<std::shared_ptr<const AttachmentFile>> OpenBeside(const AttachedIndex& index);

/// Returns why the columns next to the index at `path` cannot be those of its records; empty if they are, or if there
/// are none. Errors: kIndex, kStale, kIo of the index itself.
[[nodiscard]] Result<std::string> WhyNotAttached(const std::string& path);

/// Compares all bytes of the file of the columns that are attached to the index with their checksums. Returns what is
/// wrong, also if its columns are those of other records; empty if nothing is, or if there is none. Errors: kIo,
/// kLimit, kInterrupted.
[[nodiscard]] Result<std::string> FindAttachmentDamage(const AttachedIndex& index, const Progress& progress);

/// Returns true if the file at `path`, which cannot be read any more, was one of attached columns, or is empty. Errors:
/// kIo.
[[nodiscard]] Result<bool> WasAttachment(const std::string& path);

/// Ends what a killed process has begun: the second file takes the place of the first, or goes if it belongs to another
/// index or is damaged. The caller has the lock of the index. Errors: kIndex if it is some other file, or one of
/// another version; kIo.
[[nodiscard]] Result<void> SettleBeside(const AttachedIndex& index);

}  // namespace ofindex
