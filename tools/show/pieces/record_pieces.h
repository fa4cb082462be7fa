#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/result.h"
#include "mmap/lent_record.h"

namespace ofindex {

/// Writes bytes to the output of a verb.
using WriteBytes = std::function<Result<void>(ByteView bytes)>;

/// Collects what is written of one record after the other, and writes it in pieces of about 1 MiB. A piece of a lent
/// record is written only after LentRecord::Check(). The buffer is kept between records. Not thread-safe.
class RecordPieces {
 public:
  explicit RecordPieces(WriteBytes write) : write_(std::move(write)) {}

  /// Begins what is written of `record`, which must outlive it. Nothing is left of earlier records that failed.
  void Begin(const LentRecord& record);

  /// Appends bytes, which are copied. Errors: kStale if the record changed; those of writing.
  [[nodiscard]] Result<void> Add(std::string_view text);

  /// Writes the rest. Errors: as Add.
  [[nodiscard]] Result<void> Finish();

  /// Returns whether some of the record was written, so that it cannot be left out any more.
  [[nodiscard]] bool has_written() const { return has_written_; }

 private:
  static constexpr size_t kPieceBytes = size_t{1} << 20;

  [[nodiscard]] Result<void> Flush();

  WriteBytes write_;
  const LentRecord* record_ = nullptr;
  std::string buffer_;
  bool has_written_ = false;
};

}  // namespace ofindex
