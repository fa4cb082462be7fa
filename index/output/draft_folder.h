#pragma once

#include <sys/types.h>

#include <set>
#include <string>
#include <vector>

#include "base/result.h"

namespace ofindex {

/// A folder of files being made to take the place of those in `target`, all at once: Draft, for a set of files.
///
/// It is written beside the target, locked and closed to others meanwhile, and exchanged with it by one system call.
/// Files of others in the target come along as second names, and keep their inodes. Where that cannot be done (the
/// target is a mount point, holds folders, lies in a folder that cannot be written to, the file system has no
/// exchange), the files are renamed one by one under a mark that readers of the set respect
/// (index/output/unfinished_set.h).
///
/// A writer that is killed leaves an unlocked folder, which the next one removes: only what such a folder can hold is
/// ever removed. Moves, does not copy; not thread-safe.
class DraftFolder {
 public:
  /// Creates the draft of `target`, which is a folder, or is not there and its parent is. Errors: kLocked  another
  /// writer is at it; kIo  also if something is in the draft's place that no writer left.
  [[nodiscard]] static Result<DraftFolder> Begin(const std::string& target);

  /// Removes a draft of `target` that a killed process has left. Leaves one that is being written alone.
  static void RemoveLeftover(const std::string& target);

  DraftFolder(DraftFolder&& other) noexcept;
  DraftFolder& operator=(DraftFolder&& other) noexcept;

  /// Removes the draft, unless it was published.
  ~DraftFolder();

  /// Where to write.
  [[nodiscard]] const std::string& path() const { return path_; }

  /// Puts the files in the draft, which are on the disk, into the target, and takes those called `replaced` out of it,
  /// whose mode and owner the new ones get. Errors: kIo  the target is as before, or as it is to be; or it is marked as
  /// unfinished.
  [[nodiscard]] Result<void> Publish(const std::set<std::string>& replaced);

 private:
  DraftFolder(std::string target, std::string path, int fd)
      : target_(std::move(target)), path_(std::move(path)), fd_(fd) {}

  [[nodiscard]] static Result<DraftFolder> BeginAt(const std::string& path, const std::string& target);
  [[nodiscard]] Result<void> KeepAccess(const std::set<std::string>& replaced);
  [[nodiscard]] Result<void> Empty();
  [[nodiscard]] Result<void> Remove();
  [[nodiscard]] Result<void> Appear();
  [[nodiscard]] Result<bool> Exchange(const std::set<std::string>& replaced);
  [[nodiscard]] Result<void> MoveIn(const std::set<std::string>& replaced);

  std::string target_;
  std::string path_;
  int fd_ = -1;
  bool beside_ = true;   // the draft lies beside the target, not in it
  bool exists_ = false;  // the target did when the draft was begun
  mode_t mode_ = 0;      // that a new folder has; until it is published, nobody else may look into it
};

}  // namespace ofindex
