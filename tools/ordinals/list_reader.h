#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "tools/ordinals/byte_reader.h"

namespace ofindex {

/// The bytes of a list of ordinals, and the place that its errors name. Not thread-safe.
class ListReader {
 public:
  /// Ordinals may be negative, counted from the end of a dataset with `size` records.
  ListReader(ByteReader bytes, uint64_t size) : bytes_(std::move(bytes)), size_(size) {}

  [[nodiscard]] ByteReader& bytes() { return bytes_; }

  /// See ByteReader.
  [[nodiscard]] Result<int> Peek() { return bytes_.Peek(); }
  void Skip() { bytes_.Skip(); }

  /// Makes errors name the place of the next byte, or `place`.
  void Mark() { Mark(bytes_.place()); }
  void Mark(BytePlace place) { marked_ = place; }

  /// Moves past the next bytes that are in `set`, and returns the byte that follows them. Errors: those of ByteReader.
  [[nodiscard]] Result<int> SkipAll(std::string_view set);

  /// Marks the place of the next word, moves past it, and returns it: all up to one of the bytes `ends`, but at most
  /// one byte more than an ordinal may have. Errors: those of ByteReader.
  [[nodiscard]] Result<std::string> TakeWord(std::string_view ends);

  /// Returns the ordinal that `word` is. Errors: kUsage; kOutOfRange.
  [[nodiscard]] Result<uint64_t> Parse(const std::string& word) const;

  /// Returns an error at the place that was marked last: kUsage if the list is wrong, kLimit if it is too much.
  [[nodiscard]] tl::unexpected<Error> Wrong(std::string_view what) const;
  [[nodiscard]] tl::unexpected<Error> TooMuch(std::string_view what, std::string hint) const;

  /// Returns the error for a list in UTF-16, at the place that was marked last.
  [[nodiscard]] tl::unexpected<Error> IsUtf16() const;

 private:
  [[nodiscard]] std::string AtMark(std::string_view what) const;

  ByteReader bytes_;
  uint64_t size_;
  BytePlace marked_;
};

/// Returns true if `byte`, as ByteReader returns it, is one of `set`.
[[nodiscard]] bool IsOneOf(int byte, std::string_view set);

}  // namespace ofindex
