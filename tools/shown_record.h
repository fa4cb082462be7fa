#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/record.h"
#include "base/result.h"
#include "proto/features.h"
#include "query/dataset.h"
#include "tools/json.h"
#include "tools/output.h"

namespace ofindex {

/// One record of a dataset, fetched and decoded to be shown. Used for one record after another.
class ShownRecord {
 public:
  /// Fetches record `ordinal` and decodes its payload, unless that is opaque.
  /// Errors: those of RecordReader::Copy; kDamage  its message is malformed (the text names shard, byte and record).
  [[nodiscard]] Result<void> Load(const Dataset& dataset, uint64_t ordinal);

  /// Takes a payload that was fetched already. Errors: as Load.
  [[nodiscard]] Result<void> Take(const Dataset& dataset, uint64_t ordinal, ByteView payload);

  /// The object that `get --json` promises; with `feature`, of that one feature alone. A JSON document takes some
  /// fifteen times the memory of what it shows. Errors: kLimit  it would show more than 64 MiB (hint: --raw).
  [[nodiscard]] Result<Json> ToJson(const std::optional<std::string>& feature) const;

  /// The same for people: a line of where, then a line a feature, or a dump of an opaque payload.
  [[nodiscard]] Result<void> Print(const std::optional<std::string>& feature, Output& out) const;

  /// Fails unless the record has this feature (NAME, or NAME[] for a feature list). Errors: kUsage  names those it has.
  [[nodiscard]] Result<void> Require(const std::string& feature) const;

  /// The bytes of one feature: bytes values one after the other, numbers as little-endian arrays of their kind.
  [[nodiscard]] std::vector<uint8_t> FeatureBytes(const std::string& feature) const;

  [[nodiscard]] ByteView payload() const { return payload_; }

 private:
  [[nodiscard]] const FeatureList* FindList(const std::string& feature) const;
  void AppendValues(FeatureValue value, std::vector<uint8_t>& out) const;

  uint64_t ordinal_ = 0;
  RecordLocation location_;
  std::string shard_;
  PayloadKind kind_ = PayloadKind::kOpaque;
  std::vector<uint8_t> copy_;
  ByteView payload_;
  DecodedRecord decoded_;
};

}  // namespace ofindex
