#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "base/bytes.h"
#include "base/result.h"

namespace ofindex {

/// A buffered output. Not thread-safe.
class Output {
 public:
  /// Takes what is written: whole calls of Write, one or more at a time.
  using Sink = std::function<Result<void>(std::string_view)>;

  explicit Output(Sink sink) : sink_(std::move(sink)) {}

  /// Returns the data output of a verb: standard output. If the reader closes the pipe, the program ends silently with
  /// exit code 0, because a reader that has seen enough is not an error.
  [[nodiscard]] static Output& Standard();

  /// Ends a write that waits for its reader once a signal sets `cancel`, which must outlive the output.
  void StopOn(const std::atomic<bool>& cancel) { cancel_ = &cancel; }

  /// Appends to the buffer. Errors: kIo, possibly of an earlier write; kInterrupted.
  [[nodiscard]] Result<void> Write(std::string_view text);
  [[nodiscard]] Result<void> Write(ByteView bytes) { return Write(AsText(bytes)); }

  /// Appends a line.
  [[nodiscard]] Result<void> Line(std::string_view text);

  [[nodiscard]] Result<void> Flush();

 private:
  [[nodiscard]] Result<void> WriteAll(std::string_view text) const;

  Sink sink_;  // null: standard output
  std::string buffer_;
  const std::atomic<bool>* cancel_ = nullptr;
};

/// Refuses bytes that are not text if standard output is a terminal, whose state they could change. `what` is the
/// option that asks for them; `hint` says how to write them elsewhere. Errors: kUsage.
[[nodiscard]] Result<void> RefuseOnTerminal(std::string_view what, const std::string& hint);

/// The same for `bytes` that may be text: UTF-8 without control characters, except tabs and ends of lines.
[[nodiscard]] Result<void> RefuseOnTerminal(ByteView bytes, std::string_view what, const std::string& hint);

}  // namespace ofindex
