#pragma once

#include <atomic>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/result.h"

namespace ofindex {

/// Where a verb writes its data: standard output, buffered. A reader that closes the pipe ends the program, with 0 and
/// in silence: whoever has seen enough is no error. Not thread-safe.
class Output {
 public:
  [[nodiscard]] static Output& Standard();

  /// Ends a write that waits for its reader when `cancel`, which must outlive the output, was set by a signal.
  void StopOn(const std::atomic<bool>& cancel) { cancel_ = &cancel; }

  /// Appends to the buffer. Errors: kIo, also for what was written before; kInterrupted.
  [[nodiscard]] Result<void> Write(std::string_view text);
  [[nodiscard]] Result<void> Write(ByteView bytes) { return Write(AsText(bytes)); }

  /// Appends a line.
  [[nodiscard]] Result<void> Line(std::string_view text);

  [[nodiscard]] Result<void> Flush();

 private:
  Output() = default;

  [[nodiscard]] Result<void> WriteAll(std::string_view text) const;

  std::string buffer_;
  const std::atomic<bool>* cancel_ = nullptr;
};

}  // namespace ofindex
