#pragma once

#include <cstdint>
#include <vector>

#include "base/record.h"
#include "base/result.h"
#include "proto/features.h"
#include "query/dataset.h"

namespace ofindex {

/// One record of a dataset, copied and decoded. Reused for many records. Not thread-safe.
class RecordPayload {
 public:
  /// Payloads that are longer are not read: decoded, one takes up to 16 times its bytes.
  static constexpr uint64_t kMaxBytes = uint64_t{64} << 20;

  /// Reads record `ordinal`, without decoding it. Errors: those of RecordReader::Copy; kLimit.
  [[nodiscard]] Result<void> Read(const Dataset& dataset, uint64_t ordinal);

  /// Decodes what was read, unless its payload is opaque. Errors: kDamage.
  [[nodiscard]] Result<void> Decode();

  [[nodiscard]] PayloadKind kind() const { return kind_; }
  [[nodiscard]] ByteView bytes() const { return bytes_; }
  [[nodiscard]] const DecodedRecord& decoded() const { return decoded_; }

 private:
  uint64_t ordinal_ = 0;
  PayloadKind kind_ = PayloadKind::kOpaque;
  std::vector<uint8_t> bytes_;
  DecodedRecord decoded_;
};

}  // namespace ofindex
