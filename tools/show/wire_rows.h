#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "base/bytes.h"
#include "base/result.h"
#include "tools/show/hex_text.h"

namespace ofindex {

/// A row of a dump. Its views are valid while it is passed to a sink.
struct WireRow {
  enum class Form : uint8_t {
    kNarrow,   ///< few bytes, with room for indentation
    kWide,     ///< up to kHexRow bytes
    kRepeats,  ///< stands for any number of rows that are identical to the one before
    kEnd,      ///< says where these end
  };

  Form form = Form::kNarrow;
  uint64_t offset = 0;  ///< of the bytes in the payload
  ByteView bytes = {};
  int depth = 0;                ///< of nesting
  std::string_view field = {};  ///< the name of the known field that begins here; may be empty
  std::string_view text = {};   ///< the meaning of the bytes
};

/// Takes a row.
using WireRowSink = std::function<Result<void>(const WireRow&)>;

/// Returns a row as `get --wire` prints it.
[[nodiscard]] std::string LineOf(const WireRow& row);

/// The rows of a dump: the offset of some bytes, the bytes, and their meaning, indented by nesting depth. Consecutive
/// identical rows are folded as in hexdump: the first one is written, `*` stands for the others, and the offset of the
/// next row shows how many there were. Not thread-safe.
class WireRows {
 public:
  /// The maximum number of bytes in a narrow row, which leaves room for indentation. A wide row has up to kHexRow.
  static constexpr size_t kNarrow = 10;

  /// Makes rows of parts of `payload`, which must outlive this object, and passes them to `sink`. Once `cancel`, which
  /// may be null, is true, written() is kInterrupted.
  WireRows(ByteView payload, WireRowSink sink, const std::atomic<bool>* cancel = nullptr)
      : origin_(payload.data()), sink_(std::move(sink)), cancel_(cancel) {}

  /// Switches rows on or off. They are on at first, and off for good after an error of the sink; callers can check this
  /// to avoid composing text.
  void Show(bool shown) { shown_ = shown; }
  [[nodiscard]] bool shown() const { return shown_ && written_.has_value(); }

  /// Adds a narrow row; `bytes` may be empty. `field` is the name of the field that begins here, if it is known.
  void AddNarrow(ByteView bytes, int depth, std::string_view text, std::string_view field = {});

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
  void Add(const WireRow& row);
  void Write(const WireRow& row);
  [[nodiscard]] bool IsLast(const WireRow& row) const;
  [[nodiscard]] uint64_t OffsetOf(ByteView bytes) const { return static_cast<uint64_t>(bytes.data() - origin_); }

  const uint8_t* origin_;
  WireRowSink sink_;
  const std::atomic<bool>* cancel_;
  Result<void> written_;
  bool shown_ = true;
  // The row that was added last, and the texts that it refers to.
  WireRow last_;
  std::string field_;
  std::string text_;
  bool any_ = false;  // there is one in this run
  bool folded_ = false;
};

}  // namespace ofindex
