#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/record.h"
#include "base/result.h"
#include "index/catalog/catalog.h"
#include "query/dataset.h"

namespace ofindex {

/// What is said of a payload whose checksum is wrong.
inline constexpr std::string_view kNoMatch = "the payload does not match its checksum";

/// Returns `error` with the record that it is about: its shard, its place and its number.
[[nodiscard]] Error InRecord(uint64_t ordinal, const ShardRow& shard, uint64_t offset, Error error);

/// Compares payloads with the checksums that follow them in a TFRecord. Needed when payloads are rewritten with new
/// checksums, if the index was built without --verify. Checksums that are close together, as in a run of small records,
/// are read many at a time. Not thread-safe.
class PayloadCheck {
 public:
  /// `dataset` must outlive the check.
  explicit PayloadCheck(const Dataset& dataset) : dataset_(dataset) {}

  /// Returns true if `payload`, of the TFRecord at `location`, matches its checksum. Errors: kIo, kStale.
  [[nodiscard]] Result<bool> Holds(const RecordLocation& location, ByteView payload);

 private:
  [[nodiscard]] Result<void> Refill(uint32_t shard, uint64_t at);

  const Dataset& dataset_;
  uint32_t shard_ = 0;  // the shard that the window is part of
  uint64_t window_begin_ = 0;
  std::vector<uint8_t> window_;
};

}  // namespace ofindex
