#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

#include "base/result.h"
#include "tools/shell/context.h"

namespace ofindex {

/// Shows one result on the terminal, through a pager once it is longer than the screen: PAGER, or less if that is not
/// set; none if PAGER is empty or the terminal is dumb. No control characters except tabs and line ends reach the
/// terminal. Not thread-safe.
class Pager {
 public:
  /// `context` must outlive the pager.
  explicit Pager(const Context& context);
  ~Pager();
  Pager(const Pager&) = delete;
  Pager& operator=(const Pager&) = delete;

  /// Shows whole characters. Errors: kInterrupted if the user has left the pager, or after Ctrl-C; kIo.
  [[nodiscard]] Result<void> Write(std::string_view text);

  /// Shows what is left, and waits until the user leaves the pager. Errors: kInterrupted, kIo.
  [[nodiscard]] Result<void> End();

  /// Returns true if the user has left the pager before the end of the result.
  [[nodiscard]] bool left() const { return left_; }

 private:
  [[nodiscard]] bool IsLong(std::string_view text);
  void Start();
  [[nodiscard]] Result<void> WriteTo(int fd, std::string_view text);

  const Context& context_;
  std::string command_;  // of the pager; empty: none
  size_t width_;
  size_t lines_left_;      // on the screen
  size_t line_width_ = 0;  // of the line that has no end yet
  std::string held_;       // until it is known whether the result is long
  pid_t process_ = -1;
  int pipe_ = -1;
  bool left_ = false;
};

}  // namespace ofindex
