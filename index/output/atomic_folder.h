#pragma once

#include <sys/types.h>

#include <set>
#include <string>
#include <vector>

#include "base/result.h"

namespace ofindex {

/// A temporary folder of files that will replace those in `target` all at once: an AtomicFile for a set of files.
///
/// It is written next to the target, locked and inaccessible to others meanwhile, and exchanged with it by one system
/// call. Unrelated files in the target are carried over as hard links, and so keep their inodes. If an exchange is
/// impossible (the target is a mount point, contains folders or lies in a folder that cannot be written to, or the file
/// system has no exchange), the files are renamed one by one, under a mark that readers of the set respect
/// (index/output/unfinished_set.h).
///
/// A writer that is killed leaves an unlocked folder, which the next writer removes. The next writer removes nothing
/// that a writer could not have put there. Moves, does not copy; not thread-safe.
class AtomicFolder {
 public:
  /// Creates the temporary folder of `target`, which is a folder or a new name in an existing folder.
  /// Errors: kLocked if another writer holds the lock; kIo, also if the temporary folder's name belongs to something
  /// other than a folder left by a writer.
  [[nodiscard]] static Result<AtomicFolder> Begin(const std::string& target);

  /// Removes a temporary folder of `target` left by a killed process. Leaves one that is being written alone.
  static void RemoveLeftover(const std::string& target);

  AtomicFolder(AtomicFolder&& other) noexcept;
  AtomicFolder& operator=(AtomicFolder&& other) noexcept;

  /// Removes the temporary folder unless it was published.
  ~AtomicFolder();

  /// Returns the folder to write to.
  [[nodiscard]] const std::string& path() const { return path_; }

  /// Moves the files in the temporary folder, which must be on disk, into the target, removes the files named
  /// `replaced` from it, and gives the new files their mode and owner, except those named `linked`, which are links to
  /// files that have them. Errors: kIo; the target is then unchanged, completely replaced, or marked as unfinished.
  [[nodiscard]] Result<void> Publish(const std::set<std::string>& replaced, const std::set<std::string>& linked = {});

 private:
  AtomicFolder(std::string target, std::string path, int fd)
      : target_(std::move(target)), path_(std::move(path)), fd_(fd) {}

  [[nodiscard]] static Result<AtomicFolder> BeginAt(const std::string& path, const std::string& target);
  [[nodiscard]] Result<void> KeepAccess(const std::set<std::string>& replaced, const std::set<std::string>& linked);
  [[nodiscard]] Result<void> Empty();
  [[nodiscard]] Result<void> Remove();
  [[nodiscard]] Result<void> Appear();
  [[nodiscard]] Result<bool> Exchange(const std::set<std::string>& replaced);
  [[nodiscard]] Result<void> MoveIn(const std::set<std::string>& replaced);

  std::string target_;
  std::string path_;
  int fd_ = -1;
  bool beside_ = true;   // the temporary folder is next to the target, not in it
  bool exists_ = false;  // the target existed at Begin
  mode_t mode_ = 0;      // mode of a new folder; until it is published, nobody else may look into it
};

}  // namespace ofindex
