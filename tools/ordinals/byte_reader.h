#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace ofindex {

/// A place in a text.
struct BytePlace {
  uint64_t byte = 0;
  uint64_t line = 1;
};

/// The longest text of an ordinal. Longer words are kept up to one byte more, which tells them from ordinals.
constexpr size_t kMaxOrdinalBytes = 64;

/// Reads a file, or standard input, byte by byte, with one byte of look-ahead. Waits for no more bytes than it is asked
/// for. Moves, does not copy; not thread-safe.
class ByteReader {
 public:
  static constexpr int kEnd = -1;

  /// Opens the file `path`; `-` is standard input. `cancel` must outlive the reader. Errors: kIo.
  [[nodiscard]] static Result<ByteReader> Open(const std::string& path, const std::atomic<bool>& cancel);

  ByteReader(ByteReader&& other) noexcept;
  ByteReader& operator=(ByteReader&&) = delete;
  ~ByteReader();

  /// Returns the next byte, or kEnd, and stays in front of it. Errors: kIo; kInterrupted.
  [[nodiscard]] Result<int> Peek() {
    if (at_ == size_ && !ended_) OFINDEX_TRY(Fill());
    return at_ == size_ ? kEnd : buffer_[at_];
  }

  /// Returns the bytes that were read ahead, at least one unless the end is here, and stays in front of them. Errors:
  /// as Peek.
  [[nodiscard]] Result<std::span<const uint8_t>> Ahead() {
    if (at_ == size_ && !ended_) OFINDEX_TRY(Fill());
    return std::span<const uint8_t>(buffer_).subspan(at_, size_ - at_);
  }

  /// Moves past the byte that Peek returned, which was not kEnd.
  void Skip() {
    if (buffer_[at_++] == '\n') ++line_;
  }

  [[nodiscard]] BytePlace place() const { return {begin_ + at_, line_}; }

  /// Returns the name to show.
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  ByteReader(int fd, std::string name, const std::atomic<bool>& cancel);

  [[nodiscard]] Result<void> Fill();

  int fd_ = -1;
  std::string name_;
  const std::atomic<bool>* cancel_;
  std::vector<uint8_t> buffer_;
  uint64_t begin_ = 0;  // of the buffer, in the file
  size_t at_ = 0;
  size_t size_ = 0;
  uint64_t line_ = 1;
  bool ended_ = false;  // a terminal must not be asked again
};

}  // namespace ofindex
