#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/result.h"

namespace ofindex {

/// The name of standard input among the sources of `pack`, and in its messages.
inline constexpr std::string_view kStandardInput = "-";
inline constexpr std::string_view kStandardInputName = "standard input";

/// Reads the lines of a file, from its beginning or from a known line start. Memory is a window of the file and the
/// longest line. Moves, does not copy; not thread-safe.
class LineReader {
 public:
  [[nodiscard]] static Result<LineReader> Open(const std::string& path);

  /// Opens what standard input has up to its end, which is first copied to a temporary file without a name. Errors:
  /// kIo; kInterrupted once `cancel` is set.
  [[nodiscard]] static Result<LineReader> OpenStandardInput(const std::atomic<bool>& cancel);

  /// Moves to `offset`, where a line begins. `window` is the size of each read; choose less for scattered lines.
  void SeekTo(uint64_t offset, size_t window);

  /// Reads the next line, with its newline if it has one; returns false at the end of the file. The 64 bytes after the
  /// line are readable. Valid until the next call. Errors: kIo; kLimit if a line is longer than kMaxLineBytes.
  [[nodiscard]] Result<bool> Next(std::string_view& line);

  /// Extends the line that was read last by the next line. Errors and the end of the file are as in Next.
  [[nodiscard]] Result<bool> Extend(std::string_view& line);

  /// Returns where the next line begins.
  [[nodiscard]] uint64_t offset() const { return window_begin_ + at_; }

  [[nodiscard]] const std::string& path() const { return file_.path(); }
  [[nodiscard]] uint64_t size() const { return opened_.size; }

  /// Fails if the file has changed since it was opened. Errors: kIo.
  [[nodiscard]] Result<void> CheckUnchanged() const;

  static constexpr size_t kWindowBytes = size_t{1} << 20;
  static constexpr uint64_t kMaxLineBytes = uint64_t{1} << 31;

 private:
  [[nodiscard]] static Result<LineReader> Of(File file);

  LineReader(File file, const FileFacts& opened) : file_(std::move(file)), opened_(opened) {}

  [[nodiscard]] Result<std::optional<size_t>> FindEnd(size_t from, size_t keep);
  [[nodiscard]] Result<bool> ReadMore(size_t keep);

  File file_;
  FileFacts opened_;
  size_t read_bytes_ = kWindowBytes;
  std::vector<char> window_;   // bytes of the file, and 64 more
  uint64_t window_begin_ = 0;  // in the file
  size_t window_size_ = 0;
  size_t line_ = 0;  // begin of the last line, in the window
  size_t at_ = 0;    // begin of the next line
};

}  // namespace ofindex
