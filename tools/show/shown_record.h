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
#include "tools/shell/shown_paths.h"

namespace ofindex {

/// One record of a dataset, read and decoded for printing. Reused for many records, all of the same dataset.
class ShownRecord {
 public:
  /// Reads record `ordinal` and decodes its payload, unless it is opaque.
  /// Errors: those of RecordReader::Copy; kDamage if the record's message is malformed (the text names shard, byte and
  /// record).
  [[nodiscard]] Result<void> Load(const Dataset& dataset, uint64_t ordinal);

  /// Reads record `ordinal` without decoding its payload: only for PrintWire() and payload().
  /// Errors: those of RecordReader::Copy.
  [[nodiscard]] Result<void> Fetch(const Dataset& dataset, uint64_t ordinal);

  /// Takes a payload that was already read. Errors: as Load.
  [[nodiscard]] Result<void> Take(const Dataset& dataset, uint64_t ordinal, ByteView payload);

  /// Returns the object that `get --json` specifies; with `names`, only those of these features that the record has, in
  /// their order. A JSON document takes about fifteen times the memory of what it shows. Errors: kLimit if the document
  /// would show more than 64 MiB (hint: --raw).
  [[nodiscard]] Result<Json> ToJson(const std::vector<std::string>& names) const;

  /// Errors: kLimit if `bytes` of the payload are too many to show as JSON.
  [[nodiscard]] Result<void> CheckJson(size_t bytes) const;

  /// Prints the same for people: a line with the place, then a line per feature, or a dump of an opaque payload.
  [[nodiscard]] Result<void> Print(const std::vector<std::string>& names, Output& out) const;

  /// Prints the bytes of the payload, each explained as part of a message: see ExplainWire(). With `names`, only the
  /// entries of these features.
  /// Errors: kDamage if the record's message is malformed or the record is marked bad (the bytes are printed first);
  /// kUsage if the record has no such feature; kInterrupted if `cancel` was set (the output is many times the size of
  /// the payload).
  [[nodiscard]] Result<void> PrintWire(const std::vector<std::string>& names, const std::atomic<bool>& cancel,
                                       Output& out);

  /// Fails unless the record has these features (NAME, or NAME[] for a feature list). Errors: kUsage, naming the
  /// existing features.
  [[nodiscard]] Result<void> Require(const std::vector<std::string>& names) const;

  /// Returns the bytes of one feature: bytes values concatenated, numbers as little-endian arrays of their kind.
  [[nodiscard]] std::vector<uint8_t> FeatureBytes(const std::string& feature) const;

  /// Returns the feature list `feature`, which ends in []; null if there is none.
  [[nodiscard]] const FeatureList* FindList(const std::string& feature) const;

  [[nodiscard]] uint64_t ordinal() const { return ordinal_; }
  [[nodiscard]] ByteView payload() const { return payload_; }
  [[nodiscard]] const DecodedRecord& decoded() const { return decoded_; }

 private:
  [[nodiscard]] Result<void> Place(const Dataset& dataset, uint64_t ordinal, ByteView payload);
  [[nodiscard]] Result<void> Decode();
  [[nodiscard]] tl::unexpected<Error> Refuse(ErrorCode code, std::string_view what) const;
  [[nodiscard]] std::string ShardText() const;
  [[nodiscard]] std::string ReadText() const;
  [[nodiscard]] std::string Heading() const;
  [[nodiscard]] Result<void> RequireOne(const std::string& feature) const;
  void AppendValues(FeatureValue value, std::vector<uint8_t>& out) const;

  const Dataset* dataset_ = nullptr;  // of the record
  uint64_t ordinal_ = 0;
  RecordLocation location_;
  std::string shard_;                // as stored
  std::optional<ShownPaths> paths_;  // set by the first record
  uint64_t payload_offset_ = 0;      // in the shard
  BadReason bad_ = BadReason{};      // 0 for a sound record
  PayloadKind kind_ = PayloadKind::kOpaque;
  std::vector<uint8_t> copy_;
  ByteView payload_;
  DecodedRecord decoded_;
};

}  // namespace ofindex
