#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "base/bytes.h"
#include "base/result.h"
#include "mmap/sources/open_shard.h"

namespace ofindex {

/// Payloads of more bytes are lent. Shorter ones are copied, which takes three quarters of the time.
inline constexpr uint64_t kLentRecordBytes = uint64_t{8} << 20;

/// Payloads of more bytes, lent or copied, are decoded in slices.
inline constexpr uint64_t kSlicedRecordBytes = uint64_t{1} << 20;

/// The payload of one record: bytes that the caller keeps, or bytes that a shard lends. Must not outlive the reader.
/// Movable, not copyable; const members may be called from any thread.
///
/// Another process may change lent bytes at any moment, so what was made of them must not be used before Check(). Lent
/// bytes are not for system calls: see LentBytes.
class LentRecord {
 public:
  LentRecord() = default;
  explicit LentRecord(ByteView kept) : payload_(kept) {}
  LentRecord(const OpenShard& shard, OpenShard::Lent lent)
      : payload_(lent.bytes.bytes()), shard_(&shard), lent_(std::move(lent)) {}

  [[nodiscard]] ByteView payload() const { return payload_; }
  [[nodiscard]] bool is_lent() const { return lent_.has_value(); }
  [[nodiscard]] bool is_large() const { return payload_.size() > kSlicedRecordBytes; }

  /// Returns an error unless all bytes that were read so far are those of the indexed file. Also takes the pages that
  /// were read out of memory. Does nothing for bytes that the caller keeps. Errors: kStale.
  [[nodiscard]] Result<void> Check() const {
    if (!lent_) return {};
    lent_->bytes.Release();
    return shard_->Check(*lent_);
  }

 private:
  ByteView payload_;
  const OpenShard* shard_ = nullptr;
  std::optional<OpenShard::Lent> lent_;
};

}  // namespace ofindex
