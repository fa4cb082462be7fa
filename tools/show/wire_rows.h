#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/result.h"
#include "tools/show/hex_text.h"

namespace ofindex {

/// Takes a line, without its newline.
using LineSink = std::function<Result<void>(std::string_view)>;

/// The rows of a dump: the offset of some bytes, the bytes, and their meaning, indented by nesting depth. Consecutive
/// identical rows are folded as in hexdump: the first one is written, `*` stands for the others, and the offset of the
/// next row shows how many there were. Not thread-safe.
class WireRows {
 public:
  /// The maximum number of bytes in a narrow row, which leaves room for indentation. A wide row has up to kHexRow.
  static constexpr size_t kNarrow = 10;

  /// Makes rows of parts of `payload`, which must outlive this object, and passes them to `sink`.
  WireRows(ByteView payload, LineSink sink) : origin_(payload.data()), sink_(std::move(sink)) {}

  /// Switches rows on or off. They are on at first, and off for good after an error of the sink; callers can check this
  /// to avoid composing text.
  void Show(bool shown) { shown_ = shown; }
  [[nodiscard]] bool shown() const { return shown_ && written_.has_value(); }

  /// Adds a narrow row; `bytes` may be empty.
  void AddNarrow(ByteView bytes, int depth, std::string_view text);

  /// Adds a wide row.
  void AddWide(ByteView bytes, std::string_view text);

  /// Adds `bytes` as hexdump rows, as many as needed.
  void AddHexDump(ByteView bytes, int depth);

  /// Ends a run of rows that are consecutive in the payload. If its last rows are folded, a row without bytes says
  /// where they end.
  void EndRun();

  /// Returns the first error of the sink, which is not called again after it.
  [[nodiscard]] const Result<void>& written() const { return written_; }

 private:
  void Add(ByteView bytes, std::string_view text);
  void Write(std::string_view line);

  const uint8_t* origin_;
  LineSink sink_;
  Result<void> written_;
  bool shown_ = true;
  // The row that was added last.
  ByteView bytes_;
  std::string text_;
  bool folded_ = false;
};

}  // namespace ofindex
