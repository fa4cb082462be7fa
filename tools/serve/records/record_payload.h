#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/progress.h"
#include "base/record.h"
#include "base/result.h"
#include "proto/features.h"
#include "query/dataset.h"
#include "tools/serve/requests/work_gate.h"

namespace ofindex {

/// One record of a dataset, copied and decoded. Reused for many records. Waits at a gate, which bounds the memory of
/// all payloads together. Not thread-safe.
class RecordPayload {
 public:
  /// Payloads that are longer are not decoded: a decoded one takes up to 16 times its bytes, and twice that meanwhile.
  static constexpr uint64_t kMaxDecodedBytes = uint64_t{16} << 20;
  /// Payloads that are longer are not read.
  static constexpr uint64_t kMaxBytes = uint64_t{64} << 20;

  /// `gate` has a limit of kMaxDecodedBytes. It and `progress` must outlive this object.
  RecordPayload(WorkGate& gate, const Progress& progress) : gate_(gate), progress_(progress) {}

  /// Reads record `ordinal`, to decode it. Errors: those of RecordReader::Copy and WorkGate::Enter; kUsage if it is too
  /// long.
  [[nodiscard]] Result<void> Read(const Dataset& dataset, uint64_t ordinal);

  /// Reads record `ordinal`, which may be longer, because it is not decoded. Errors: those of Read().
  [[nodiscard]] Result<void> ReadBytes(const Dataset& dataset, uint64_t ordinal);

  /// Decodes what Read() has read, unless its payload is opaque. Errors: kDamage.
  [[nodiscard]] Result<void> Decode();

  /// Returns the kind of the payload of a record. Errors: those of RecordReader::Locate.
  [[nodiscard]] static Result<PayloadKind> KindOf(const Dataset& dataset, uint64_t ordinal);

  [[nodiscard]] PayloadKind kind() const { return kind_; }
  [[nodiscard]] ByteView bytes() const { return bytes_; }
  [[nodiscard]] const DecodedRecord& decoded() const { return decoded_; }

 private:
  [[nodiscard]] Result<void> Copy(const Dataset& dataset, uint64_t ordinal, uint64_t max_bytes);
  [[nodiscard]] Result<void> Reserve(uint64_t weight);

  WorkGate& gate_;
  const Progress& progress_;
  std::optional<WorkGate::Pass> pass_;
  uint64_t reserved_ = 0;  // the weight of the pass
  uint64_t ordinal_ = 0;
  PayloadKind kind_ = PayloadKind::kOpaque;
  std::vector<uint8_t> bytes_;
  DecodedRecord decoded_;
};

}  // namespace ofindex
