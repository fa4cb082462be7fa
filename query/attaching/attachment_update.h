#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "index/attachments/attachment_file.h"
#include "index/attachments/attachment_writer.h"
#include "index/output/atomic_file.h"
#include "query/columns/snapshot.h"

namespace ofindex {

/// Which file of attached columns is written, and how.
struct AttachmentTarget {
  std::string file = {};  ///< empty: the one next to the index
  AtomicFile::IfLocked if_locked = AtomicFile::IfLocked::kFail;
  AtomicFile::Durability durability = AtomicFile::Durability::kDurable;
};

/// Removes a file of attached columns; one that is not there is no error. Errors: kIo.
[[nodiscard]] Result<void> RemoveAttachment(const std::string& path);

/// A file of attached columns that is replaced: locked, with the columns that it has. The one next to the index is
/// locked together with the index, so that no build, update or merge moves ordinals meanwhile. Moves, does not copy;
/// not thread-safe.
class AttachmentUpdate {
 public:
  /// Errors: kLocked if another process writes the file or the index; kStale if the index was replaced since `snapshot`
  /// was opened; kIndex if there is a file that cannot be read, unless that is ignored; kIo; kInterrupted.
  enum class IfDamaged : uint8_t { kFail, kIgnore };
  [[nodiscard]] static Result<AttachmentUpdate> Begin(const Snapshot& snapshot, const AttachmentTarget& target,
                                                      const Progress& progress,
                                                      IfDamaged if_damaged = IfDamaged::kFail);

  [[nodiscard]] const std::string& path() const { return shown_; }

  /// Returns the file as it is; null if there is none that can be read.
  [[nodiscard]] const std::shared_ptr<const AttachmentFile>& old() const { return old_; }

  /// Begins the new file. Errors: kIo.
  [[nodiscard]] Result<AttachmentWriter> Write(GenerationRow generation, std::vector<AttachedBlock> blocks) const;

  /// Replaces the old file. Errors: kIo; the old file then stays.
  [[nodiscard]] Result<void> Publish() { return file_.Publish(durability_); }

  /// Removes the old file. Errors: kIo.
  [[nodiscard]] Result<void> Remove() const { return RemoveAttachment(path_); }

 private:
  [[nodiscard]] static Result<void> Settle(const Snapshot& snapshot, IfDamaged if_damaged);

  AttachmentUpdate(std::string path, std::string shown, std::optional<AtomicFile> index_lock, AtomicFile file,
                   AtomicFile::Durability durability)
      : path_(std::move(path)),
        shown_(std::move(shown)),
        index_lock_(std::move(index_lock)),
        file_(std::move(file)),
        durability_(durability) {}

  std::string path_;
  std::string shown_;
  std::optional<AtomicFile> index_lock_;
  AtomicFile file_;
  AtomicFile::Durability durability_;
  std::shared_ptr<const AttachmentFile> old_;
};

}  // namespace ofindex
