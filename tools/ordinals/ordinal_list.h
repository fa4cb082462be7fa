#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "tools/ordinals/byte_reader.h"
#include "tools/ordinals/json_ordinals.h"
#include "tools/ordinals/list_reader.h"
#include "tools/show/record_stream.h"

namespace ofindex {

/// A list of ordinals in one of the forms that our verbs write. The list is text, whose ordinals are separated by
/// spaces, line ends, commas or NULs (UTF-16, whose digits have NULs between them, is an error), perhaps after a header
/// `_id` or `ordinal`; or CSV whose header has such a column (a number after `_id,` is an ordinal, not the name of a
/// column); or it is JSON, of one value or of several:
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

  OrdinalList(ByteReader bytes, uint64_t size) : list_(std::move(bytes), size), json_(list_) {}
  OrdinalList(const OrdinalList&) = delete;
  OrdinalList& operator=(const OrdinalList&) = delete;

  /// Sets `ordinal` to the next ordinal, or returns false at the end of the list. Errors: kUsage if something else is
  /// there, with line and byte; kLimit if a header is too long; kOutOfRange; kIo; kInterrupted.
  [[nodiscard]] Result<bool> Next(uint64_t& ordinal);

 private:
  [[nodiscard]] Result<void> Begin();
  [[nodiscard]] Result<void> CheckEncoding();
  [[nodiscard]] Result<int> SkipSeparators();
  [[nodiscard]] Result<void> TakeNames(std::string begun, std::vector<std::string>& names);
  [[nodiscard]] Result<bool> NextInText(uint64_t& ordinal);
  [[nodiscard]] Result<bool> NextInCsv(uint64_t& ordinal);
  [[nodiscard]] tl::unexpected<Error> NoOrdinals(const std::vector<std::string>& names) const;

  ListReader list_;
  bool begun_ = false;
  std::optional<size_t> column_;  // of CSV, the one with ordinals
  JsonOrdinals json_;             // of the JSON value that text has here
};

/// Reads the whole list `path`, in its order. Errors: those of OrdinalList; kLimit with `hint` if it has more ordinals
/// than the dataset has records, and than 100 million.
[[nodiscard]] Result<std::vector<uint64_t>> ReadOrdinals(const std::string& path, uint64_t size,
                                                         const std::atomic<bool>& cancel, const Hint& hint);

}  // namespace ofindex
