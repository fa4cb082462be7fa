#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "tools/ordinals/byte_reader.h"
#include "tools/show/record_stream.h"

namespace ofindex {

/// A list of ordinals in one of the forms that our verbs write. The list is text, whose ordinals are separated by
/// spaces, line ends, commas or NULs, perhaps after a header `_id` or `ordinal`; or CSV whose header has such a column;
/// or it is JSON, of one value or of several:
///
/// - `{"_id": 5, ...}`, as in JSON lines of `where`, `sample`, `sql`, `get` and `cat`;
/// - `{"ids": [5, 7], ...}`, also with `rows`, `records` or `batches`, as in the documents of these verbs;
/// - `[5, 7]`.
///
/// Other members of an object are skipped. Reads the list as its ordinals are requested, in bounded memory, so it may
/// be endless. Not thread-safe.
class OrdinalList {
 public:
  /// Opens the file `path`; `-` is standard input. Ordinals may be negative, counted from the end of a dataset with
  /// `size` records. `cancel` must outlive the list. Errors: kIo.
  [[nodiscard]] static Result<std::shared_ptr<OrdinalList>> Open(const std::string& path, uint64_t size,
                                                                 const std::atomic<bool>& cancel);

  OrdinalList(ByteReader bytes, uint64_t size) : bytes_(std::move(bytes)), size_(size) {}

  /// Sets `ordinal` to the next ordinal, or returns false at the end of the list. Errors: kUsage if something else is
  /// there, with line and byte; kOutOfRange; kIo; kInterrupted.
  [[nodiscard]] Result<bool> Next(uint64_t& ordinal);

 private:
  // An array of JSON with ordinals or objects, or an object with an ordinal or lists of them.
  struct OpenValue {
    bool is_object = false;
    bool found = false;  // a member with ordinals
    bool after_value = false;
  };

  [[nodiscard]] Result<void> Begin();
  [[nodiscard]] Result<bool> NextInText(uint64_t& ordinal);
  [[nodiscard]] Result<bool> NextInCsv(uint64_t& ordinal);
  [[nodiscard]] Result<bool> NextInJson(uint64_t& ordinal);
  [[nodiscard]] Result<bool> TakeElement(uint64_t& ordinal);
  [[nodiscard]] Result<bool> TakeMember(uint64_t& ordinal);
  [[nodiscard]] Result<bool> TakeNumber(uint64_t& ordinal);
  [[nodiscard]] Result<void> Enter();
  [[nodiscard]] Result<void> Leave();
  [[nodiscard]] Result<int> PeekInJson();
  [[nodiscard]] Result<std::string> TakeWord(std::string_view ends);
  [[nodiscard]] Result<std::string> TakeString();
  [[nodiscard]] Result<void> SkipValue();
  [[nodiscard]] Result<uint64_t> Parse(const std::string& word) const;
  [[nodiscard]] tl::unexpected<Error> NoOrdinals(const std::vector<std::string>& names) const;
  [[nodiscard]] tl::unexpected<Error> Wrong(std::string_view what) const;

  ByteReader bytes_;
  uint64_t size_;
  bool begun_ = false;
  std::optional<size_t> column_;  // of CSV, the one with ordinals
  std::vector<OpenValue> open_;
  BytePlace word_;  // where the last word, or what is wrong, begins
};

/// Reads the whole list `path`, in its order. Errors: those of OrdinalList.
[[nodiscard]] Result<std::vector<uint64_t>> ReadOrdinals(const std::string& path, uint64_t size,
                                                         const std::atomic<bool>& cancel);

}  // namespace ofindex
