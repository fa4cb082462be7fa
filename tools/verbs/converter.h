#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/record.h"
#include "base/result.h"
#include "index/catalog/catalog.h"
#include "index/writing/shard_set_writer.h"
#include "proto/encode/transcoder.h"
#include "query/dataset.h"
#include "tools/shell/context.h"
#include "tools/show/record_stream.h"

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

/// Takes records of a dataset, in any order, turns their payloads into the other message, and writes them to new
/// shards. Not thread-safe.
class Converter {
 public:
  /// `shards` are those of `dataset`, under the names to show; all arguments must outlive the converter. Errors: kUsage
  /// a shard's payloads have no form in the other format.
  [[nodiscard]] static Result<Converter> Create(const Dataset& dataset, const std::vector<ShardRow>& shards, Framing to,
                                                Lossy lossy, ShardSetWriter& writer, Context& context);

  /// Compares payloads with their checksums, which nobody has done before: those of an index without --verify.
  void CheckPayloads() { check_.emplace(dataset_); }

  /// Records that were found bad on the way, in the order in which they came.
  [[nodiscard]] const std::vector<BadRow>& bad() const { return bad_; }

  /// Writes the records that `next` names. Returns the exit code: 3 where bad ones were passed over, which their shards
  /// then have fewer of. Errors: those of StreamRecords; kFeature  a value has no home in the other message.
  [[nodiscard]] Result<int> Run(const NextOrdinal& next);

 private:
  Converter(const Dataset& dataset, const std::vector<ShardRow>& shards, ShardSetWriter& writer, Context& context)
      : dataset_(dataset), shards_(shards), writer_(writer), context_(context) {}

  [[nodiscard]] Result<void> Take(uint64_t ordinal, ByteView payload);
  [[nodiscard]] Result<void> PassOverUntil(uint64_t ordinal);
  [[nodiscard]] Result<ByteView> Converted(const RecordLocation& location, ByteView payload);
  [[nodiscard]] Error InRecord(uint64_t ordinal, const RecordLocation& location, Error error) const;

  const Dataset& dataset_;
  const std::vector<ShardRow>& shards_;
  ShardSetWriter& writer_;
  Context& context_;
  bool to_ofrecord_ = false;
  std::map<PayloadKind, Transcoder> transcoders_;
  std::optional<PayloadCheck> check_;
  std::vector<BadRow> bad_;
  BadReason bad_reason_ = BadReason::kMalformed;  // of the record that was found bad last
  std::deque<uint64_t> waiting_;                  // asked for, and not yet taken
};

}  // namespace ofindex
