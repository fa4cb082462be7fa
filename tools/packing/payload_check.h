#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "base/record.h"
#include "base/result.h"
#include "query/dataset.h"

namespace ofindex {

/// Compares payloads with the checksums that a TFRecord keeps behind them: for whoever writes them anew, with checksums
/// of their own, of an index that was built without --verify. Checksums that lie close behind each other, as those of
/// small records in order do, are read many at once. Not thread-safe.
class PayloadCheck {
 public:
  /// `dataset` must outlive the check.
  explicit PayloadCheck(const Dataset& dataset) : dataset_(dataset) {}

  /// True if `payload`, of the TFRecord at `location`, is what was written. Errors: kIo, kStale.
  [[nodiscard]] Result<bool> Holds(const RecordLocation& location, ByteView payload);

 private:
  [[nodiscard]] Result<void> Refill(uint32_t shard, uint64_t at);

  const Dataset& dataset_;
  uint32_t shard_ = 0;  // that the window is of
  uint64_t window_begin_ = 0;
  std::vector<uint8_t> window_;
};

}  // namespace ofindex
