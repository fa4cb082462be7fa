#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/result.h"

namespace ofindex {

/// Reads the lines of a file, from its beginning or from where a line is known to begin. Memory is a window of the file
/// and the longest line. Moves, does not copy; not thread-safe.
class LineReader {
 public:
  [[nodiscard]] static Result<LineReader> Open(const std::string& path);

  /// Goes to `offset`, where a line begins. `window` is how much to read at once: less for lines here and there.
  void SeekTo(uint64_t offset, size_t window);

  /// The next line, with its end, if it has one; false at the end of the file. What lies 64 bytes behind it may be
  /// read. Valid until the next call. Errors: kIo; kLimit  a line is longer than kMostLineBytes.
  [[nodiscard]] Result<bool> Next(std::string_view& line);

  /// Makes the line that was read last longer by the one behind it. Errors, and the end of the file, as Next.
  [[nodiscard]] Result<bool> Extend(std::string_view& line);

  /// Where the next line begins.
  [[nodiscard]] uint64_t offset() const { return window_begin_ + at_; }

  [[nodiscard]] const std::string& path() const { return file_.path(); }
  [[nodiscard]] uint64_t size() const { return opened_.size; }

  /// Errors: kIo  the file is not as it was when it was opened.
  [[nodiscard]] Result<void> CheckUnchanged() const;

  static constexpr size_t kWindowBytes = size_t{1} << 20;
  static constexpr uint64_t kMostLineBytes = uint64_t{1} << 31;

 private:
  LineReader(File file, const FileFacts& opened) : file_(std::move(file)), opened_(opened) {}

  [[nodiscard]] Result<std::optional<size_t>> FindEnd(size_t from, size_t keep);
  [[nodiscard]] Result<bool> ReadMore(size_t keep);

  File file_;
  FileFacts opened_;
  size_t read_bytes_ = kWindowBytes;
  std::vector<char> window_;   // bytes of the file, and 64 more
  uint64_t window_begin_ = 0;  // in the file
  size_t window_size_ = 0;
  size_t line_ = 0;  // where the last line begins, in the window
  size_t at_ = 0;    // where the next one does
};

}  // namespace ofindex
