#pragma once

#include <string>
#include <string_view>

#include "base/progress.h"
#include "base/result.h"

namespace ofindex {

/// What the name of a draft ends in, behind that of its target.
inline constexpr std::string_view kDraftSuffix = ".draft";

/// A file being made to take the place of `target`: written beside it, locked while it is written, published whole.
///
/// Whoever holds the lock is the one builder of `target`. A builder that is killed leaves an unlocked draft, which the
/// next one takes over. Nobody ever sees half a file: readers of the old one keep it, those that come later get the new
/// one. Moves, does not copy; not thread-safe.
class Draft {
 public:
  enum class IfLocked { kFail, kWait };

  /// Creates or takes over the draft of `target`, empty and locked. While it waits, it looks at
  /// `progress->cancel` (may be null).
  /// Errors: kLocked  another process builds `target`, and `if_locked` is kFail; kUsage  `target` is a folder, a device
  /// or the like, which a rename must not replace; kInterrupted; kIo.
  [[nodiscard]] static Result<Draft> Begin(const std::string& target, IfLocked if_locked,
                                           const Progress* progress = nullptr);

  /// Removes a draft of `target` that a killed process has left. Leaves one that is being written alone.
  static void RemoveLeftover(const std::string& target);

  Draft(Draft&& other) noexcept;
  Draft& operator=(Draft&& other) noexcept;

  /// Removes the draft, unless it was published.
  ~Draft();

  /// Where to write.
  [[nodiscard]] const std::string& path() const { return path_; }

  /// True if another process held the lock when Begin was called.
  [[nodiscard]] bool waited() const { return waited_; }

  /// Waits until what was written is on the disk. Errors: kIo.
  [[nodiscard]] Result<void> Sync();

  /// Renames the draft to its target. With kDurable, what was written is on the disk before, and the new name after.
  /// Errors: kIo; the draft and the old target are then as before.
  enum class Durability { kDurable, kCached };
  [[nodiscard]] Result<void> Publish(Durability durability);

 private:
  Draft(std::string target, std::string path, int fd, bool waited);

  std::string target_;
  std::string path_;
  int fd_ = -1;
  bool waited_ = false;
};

}  // namespace ofindex
