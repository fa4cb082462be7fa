#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "base/record.h"
#include "base/result.h"
#include "mmap/lent_record.h"
#include "proto/features.h"
#include "query/dataset.h"
#include "tools/shell/shown_paths.h"
#include "tools/show/pieces/record_pieces.h"

namespace ofindex {

/// One record of a dataset, read and decoded for printing. Reused for many records, all of the same dataset.
class ShownRecord {
 public:
  ShownRecord() = default;
  ShownRecord(const ShownRecord&) = delete;
  ShownRecord& operator=(const ShownRecord&) = delete;

  /// How the payload of a large record is decoded.
  enum class Large {
    kOutlined,  ///< its values only when they are written, in slices, so that memory is bounded
    kDecoded,   ///< like any other
  };

  /// Reads record `ordinal` and decodes its payload, unless it is opaque.
  /// Errors: those of RecordReader::Lend; kDamage if the record's message is malformed (the text names shard, byte and
  /// record).
  [[nodiscard]] Result<void> Load(const Dataset& dataset, uint64_t ordinal, Large large = Large::kOutlined);

  /// Reads record `ordinal` without decoding its payload: only for AddWire() and payload().
  /// Errors: those of RecordReader::Lend.
  [[nodiscard]] Result<void> Fetch(const Dataset& dataset, uint64_t ordinal);

  /// Takes a record that was already read, and that must outlive the use of this. Errors: as Load.
  [[nodiscard]] Result<void> Take(const Dataset& dataset, uint64_t ordinal, const LentRecord& record);

  /// Writes the object that `get --json` specifies; with `names`, only those of these features that the record has, in
  /// their order. Errors: those of CheckJson; those of `pieces`.
  [[nodiscard]] Result<void> AddJson(const std::vector<std::string>& names, RecordPieces& pieces) const;

  /// Fails unless features can be written as JSON: those in `names`, or all if it is empty, and then an opaque payload
  /// too. Errors: kLimit if a value has more than 64 MiB (hint: --raw).
  [[nodiscard]] Result<void> CheckJson(const std::vector<std::string>& names) const;

  /// Writes the same for people: a line with the place, then a line per feature, or a dump of an opaque payload.
  [[nodiscard]] Result<void> AddText(const std::vector<std::string>& names, RecordPieces& pieces) const;

  /// Writes the bytes of the payload, each explained as part of a message: see ExplainWire(). With `names`, only the
  /// entries of these features.
  /// Errors: kDamage if the record's message is malformed or the record is marked bad (the bytes are written first);
  /// kUsage if the record has no such feature; kInterrupted if `cancel` was set (the output is many times the size of
  /// the payload).
  [[nodiscard]] Result<void> AddWire(const std::vector<std::string>& names, const std::atomic<bool>& cancel,
                                     RecordPieces& pieces);

  /// Fails unless the record has these features (NAME, or NAME[] for a feature list). Errors: kUsage, naming the
  /// existing features.
  [[nodiscard]] Result<void> Require(const std::vector<std::string>& names) const;

  /// Writes the bytes of one feature: bytes values concatenated, numbers as little-endian arrays of their kind.
  [[nodiscard]] Result<void> AddFeature(const std::string& feature, RecordPieces& pieces) const;

  /// Returns the feature list `feature`, which ends in []; null if there is none.
  [[nodiscard]] const FeatureList* FindList(const std::string& feature) const;

  [[nodiscard]] uint64_t ordinal() const { return ordinal_; }
  [[nodiscard]] const LentRecord& record() const { return *record_; }
  [[nodiscard]] ByteView payload() const { return record_->payload(); }
  [[nodiscard]] const DecodedRecord& decoded() const { return decoded_; }

 private:
  [[nodiscard]] Result<void> Place(const Dataset& dataset, uint64_t ordinal, const LentRecord& record);
  [[nodiscard]] Result<void> Decode(Large large);
  [[nodiscard]] tl::unexpected<Error> Refuse(ErrorCode code, std::string_view what) const;
  [[nodiscard]] std::string ShardText() const;
  [[nodiscard]] std::string ReadText() const;
  [[nodiscard]] std::string Heading() const;
  [[nodiscard]] Result<void> RequireOne(const std::string& feature) const;
  [[nodiscard]] Result<void> AddValues(FeatureValue value, RecordPieces& pieces) const;

  const Dataset* dataset_ = nullptr;  // of the record
  uint64_t ordinal_ = 0;
  RecordLocation location_;
  std::string shard_;                // as stored
  std::optional<ShownPaths> paths_;  // set by the first record
  uint64_t payload_offset_ = 0;      // in the shard
  BadReason bad_ = BadReason{};      // 0 for a sound record
  PayloadKind kind_ = PayloadKind::kOpaque;
  std::vector<uint8_t> room_;
  LentRecord own_;
  const LentRecord* record_ = &own_;
  DecodedRecord decoded_;
};

}  // namespace ofindex
