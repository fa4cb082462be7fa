#pragma once

#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/result.h"

namespace ofindex {

/// Where a verb writes its data: standard output, buffered. A reader that closes the pipe ends the program, with 0 and in
/// silence: whoever has seen enough is no error. Not thread-safe.
class Output {
 public:
  [[nodiscard]] static Output& Standard();

  /// Appends to the buffer. Errors: kIo, also for what was written before.
  [[nodiscard]] Result<void> Write(std::string_view text);
  [[nodiscard]] Result<void> Write(ByteView bytes) { return Write(AsText(bytes)); }

  /// Appends a line.
  [[nodiscard]] Result<void> Line(std::string_view text);

  [[nodiscard]] Result<void> Flush();

 private:
  Output() = default;

  std::string buffer_;
};

}  // namespace ofindex
