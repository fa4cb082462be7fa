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

/// The suffix of a temporary file's name, after the name of its target.
inline constexpr std::string_view kTemporarySuffix = ".ofindex-draft";

/// A temporary file that will replace `target` atomically: written next to it, locked while it is written, published
/// whole.
///
/// The holder of the lock is the only builder of `target`. A builder that is killed leaves an unlocked temporary file,
/// which the next one removes. Nobody ever sees half a file: readers of the old file keep it, later ones get the new
/// one. The file is always newly created: nothing is ever written through a link, to a file of another user, or to a
/// file with other hard links. Moves, does not copy; not thread-safe.
class AtomicFile {
 public:
  enum class IfLocked { kFail, kWait };

  /// Creates the temporary file of `target`, empty and locked. If `target` is a link, the file that it leads to is the
  /// target, and the link stays. While waiting, polls `progress->cancel` (may be null).
  /// Errors: kLocked if another process builds `target`, and `if_locked` is kFail; kUsage if `target` is a folder, a
  /// device or the like, or a dangling link; kInterrupted; kIo, also if the folder cannot be listed, or if the name of
  /// the temporary file belongs to a file of another user or to one with several names.
  [[nodiscard]] static Result<AtomicFile> Begin(const std::string& target, IfLocked if_locked,
                                                const Progress* progress = nullptr);

  /// Errors: kUsage if `target` exists and is not a regular file, or is a dangling link, or has a NUL in its name.
  [[nodiscard]] static Result<void> CheckTarget(const std::string& target);

  /// Removes the temporary file of `target` left by a killed process. Leaves one that is being written alone.
  static void RemoveLeftover(const std::string& target);

  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile& operator=(AtomicFile&& other) noexcept;

  /// Removes the temporary file unless it was published.
  ~AtomicFile();

  /// Opens the temporary file for writing. Errors: kLimit if no descriptor is left; kIo.
  [[nodiscard]] Result<OutputFile> Open() const;

  /// Returns the temporary file's name, for writers that only take names; CheckName verifies afterwards that they wrote
  /// to it.
  [[nodiscard]] const std::string& path() const { return path_; }

  /// Errors: kIo if the name no longer refers to the file that was created.
  [[nodiscard]] Result<void> CheckName() const;

  /// Returns true if another process held the lock when Begin was called.
  [[nodiscard]] bool waited() const { return waited_; }

  /// Waits until all writes are on disk. Errors: kIo.
  [[nodiscard]] Result<void> Sync();

  /// Renames the temporary file to its target, with the mode and owner of the old file; a new file gets default ones.
  /// With kDurable, the contents are on disk before the rename, and the new name after it.
  /// Errors: kIo, also if the file at the target is no longer the one that Begin found; the temporary file and the
  /// target are then unchanged.
  enum class Durability { kDurable, kCached };
  [[nodiscard]] Result<void> Publish(Durability durability);

 private:
  // The file being replaced.
  struct Old {
    dev_t device;
    ino_t inode;
    FileAccess access;
  };

  AtomicFile(std::string target, std::string path, int fd, bool waited);

  [[nodiscard]] Result<void> TakeOld();
  [[nodiscard]] Result<void> Rename();

  std::string target_;
  std::string path_;
  int fd_ = -1;
  bool waited_ = false;
  std::optional<Old> old_;
};

}  // namespace ofindex
