#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/result.h"
#include "tools/show/hex_text.h"

namespace ofindex {

/// Takes a line, without its end.
using LineSink = std::function<Result<void>(std::string_view)>;

/// The rows of a dump: where bytes stand, which they are, and what they mean, indented by how deep they are nested.
/// Rows that are given one after the other and say the same are folded, as hexdump does it: the first one is written,
/// the others are `*`, and the row after them tells by its offset how many they were. Not thread-safe.
class WireRows {
 public:
  /// The most bytes of a narrow row, beside which there is room to indent. A wide one has up to kHexRow.
  static constexpr size_t kNarrow = 10;

  /// Rows of parts of `payload`, which has to outlive this object, for `sink`.
  WireRows(ByteView payload, LineSink sink) : origin_(payload.data()), sink_(std::move(sink)) {}

  /// While not shown, rows are left out. They are shown at first, and not any more after an error of the sink; who asks
  /// can save itself the making of their words.
  void Show(bool shown) { shown_ = shown; }
  [[nodiscard]] bool shown() const { return shown_ && written_.has_value(); }

  /// A narrow row; of `bytes`, which may be none.
  void AddNarrow(ByteView bytes, int depth, std::string_view text);

  /// A wide row.
  void AddWide(ByteView bytes, std::string_view text);

  /// `bytes`, in as many rows as they take, as hexdump shows them.
  void AddHexDump(ByteView bytes, int depth);

  /// Ends a stretch of rows that follow each other in the payload. If the last ones are folded, a row without bytes
  /// says where they end.
  void EndStretch();

  /// The first error of the sink; it is not called any more after that.
  [[nodiscard]] const Result<void>& written() const { return written_; }

 private:
  void Add(ByteView bytes, std::string_view text);
  void Write(std::string_view line);

  const uint8_t* origin_;
  LineSink sink_;
  Result<void> written_;
  bool shown_ = true;
  // The row that was given last.
  ByteView bytes_;
  std::string text_;
  bool folded_ = false;
};

}  // namespace ofindex
