#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>

#include "base/output_file.h"
#include "base/progress.h"
#include "base/result.h"
#include "index/output/file_access.h"

namespace ofindex {

/// What the name of a draft ends in, after the name of its target.
inline constexpr std::string_view kDraftSuffix = ".ofindex-draft";

/// A file being made to take the place of `target`: written beside it, locked while it is written, published whole.
///
/// Whoever holds the lock is the one builder of `target`. A builder that is killed leaves an unlocked draft, which the
/// next one removes. Nobody ever sees half a file: readers of the old one keep it, those that come later get the new
/// one. The file is always created new: nothing that another user, a link or a second name reaches is written to.
/// Moves, does not copy; not thread-safe.
class Draft {
 public:
  enum class IfLocked { kFail, kWait };

  /// Creates the draft of `target`, empty and locked. If `target` is a link, the file that it leads to is the target,
  /// and the link stays. While it waits, it looks at `progress->cancel` (may be null).
  /// Errors: kLocked  another process builds `target`, and `if_locked` is kFail; kUsage  `target` is a folder, a device
  /// or the like, or a link that leads nowhere; kInterrupted; kIo  also if the folder cannot be listed, or a file of
  /// another user, or one with several names, is in the draft's place.
  [[nodiscard]] static Result<Draft> Begin(const std::string& target, IfLocked if_locked,
                                           const Progress* progress = nullptr);

  /// Errors: kUsage  `target` exists and is no regular file, or is a link that leads nowhere, or has a NUL in its name.
  [[nodiscard]] static Result<void> CheckTarget(const std::string& target);

  /// Removes a draft of `target` that a killed process has left. Leaves one that is being written alone.
  static void RemoveLeftover(const std::string& target);

  Draft(Draft&& other) noexcept;
  Draft& operator=(Draft&& other) noexcept;

  /// Removes the draft, unless it was published.
  ~Draft();

  /// The draft, to write to. Errors: kLimit, kIo  no descriptor is left.
  [[nodiscard]] Result<OutputFile> Open() const;

  /// The name of the draft, for writers that only take names; CheckName tells afterwards whether they wrote to it.
  [[nodiscard]] const std::string& path() const { return path_; }

  /// Errors: kIo  the name of the draft is no longer the name of the file that was created.
  [[nodiscard]] Result<void> CheckName() const;

  /// True if another process held the lock when Begin was called.
  [[nodiscard]] bool waited() const { return waited_; }

  /// Waits until what was written is on the disk. Errors: kIo.
  [[nodiscard]] Result<void> Sync();

  /// Renames the draft to its target, with the mode and the owner that the old file had; a new one has those of any new
  /// file. With kDurable, what was written is on the disk before, and the new name after.
  /// Errors: kIo  also if there is another file at the target than when the draft was begun; the draft and the target
  /// are then as before.
  enum class Durability { kDurable, kCached };
  [[nodiscard]] Result<void> Publish(Durability durability);

 private:
  // The file that is replaced.
  struct Old {
    dev_t device;
    ino_t inode;
    FileAccess access;
  };

  Draft(std::string target, std::string path, int fd, bool waited);

  [[nodiscard]] Result<void> TakeOld();
  [[nodiscard]] Result<void> Rename();

  std::string target_;
  std::string path_;
  int fd_ = -1;
  bool waited_ = false;
  std::optional<Old> old_;
};

}  // namespace ofindex
