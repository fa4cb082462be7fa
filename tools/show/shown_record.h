#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "base/record.h"
#include "base/result.h"
#include "proto/features.h"
#include "query/dataset.h"
#include "tools/shell/json.h"
#include "tools/shell/output.h"

namespace ofindex {

/// One record of a dataset, fetched and decoded to be shown. Used for one record after another.
class ShownRecord {
 public:
  /// Fetches record `ordinal` and decodes its payload, unless that is opaque.
  /// Errors: those of RecordReader::Copy; kDamage  its message is malformed (the text names shard, byte and record).
  [[nodiscard]] Result<void> Load(const Dataset& dataset, uint64_t ordinal);

  /// Fetches record `ordinal`, and does not look into its payload: for PrintWire() and payload() alone.
  /// Errors: those of RecordReader::Copy.
  [[nodiscard]] Result<void> Fetch(const Dataset& dataset, uint64_t ordinal);

  /// Takes a payload that was fetched already. Errors: as Load.
  [[nodiscard]] Result<void> Take(const Dataset& dataset, uint64_t ordinal, ByteView payload);

  /// The object that `get --json` promises; with `feature`, of that one feature alone. A JSON document takes some
  /// fifteen times the memory of what it shows. Errors: kLimit  it would show more than 64 MiB (hint: --raw).
  [[nodiscard]] Result<Json> ToJson(const std::optional<std::string>& feature) const;

  /// The same for people: a line of where, then a line a feature, or a dump of an opaque payload.
  [[nodiscard]] Result<void> Print(const std::optional<std::string>& feature, Output& out) const;

  /// The bytes of the payload, explained one by one as a message: see ExplainWire(). With `feature`, its entries alone.
  /// Errors: kDamage       its message is malformed, or it is marked bad: it was printed all the same
  ///         kUsage        it has no such feature
  ///         kInterrupted  `cancel` was set: what is printed is many times the payload
  [[nodiscard]] Result<void> PrintWire(const std::optional<std::string>& feature, const std::atomic<bool>& cancel,
                                       Output& out);

  /// Fails unless the record has this feature (NAME, or NAME[] for a feature list). Errors: kUsage  names those it has.
  [[nodiscard]] Result<void> Require(const std::string& feature) const;

  /// The bytes of one feature: bytes values one after the other, numbers as little-endian arrays of their kind.
  [[nodiscard]] std::vector<uint8_t> FeatureBytes(const std::string& feature) const;

  [[nodiscard]] ByteView payload() const { return payload_; }

 private:
  [[nodiscard]] Result<void> Place(const Dataset& dataset, uint64_t ordinal, ByteView payload);
  [[nodiscard]] Result<void> Decode();
  [[nodiscard]] tl::unexpected<Error> Refuse(ErrorCode code, std::string_view what) const;
  [[nodiscard]] std::string Heading() const;
  [[nodiscard]] const FeatureList* FindList(const std::string& feature) const;
  void AppendValues(FeatureValue value, std::vector<uint8_t>& out) const;

  uint64_t ordinal_ = 0;
  RecordLocation location_;
  std::string shard_;
  uint64_t payload_offset_ = 0;  // in the shard
  BadReason bad_ = BadReason{};  // 0 of a sound record
  PayloadKind kind_ = PayloadKind::kOpaque;
  std::vector<uint8_t> copy_;
  ByteView payload_;
  DecodedRecord decoded_;
};

}  // namespace ofindex
