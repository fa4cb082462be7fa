#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
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
#include "tools/streams/payload_check.h"

namespace ofindex {

/// Converts the payloads of a dataset's records, in any order, to the message of the other format, and writes the
/// results to new shards. Not thread-safe.
class Converter {
 public:
  /// `shards` are those of `dataset`, under the names to show; all arguments must outlive the converter. Errors: kUsage
  /// if a shard's payloads cannot be expressed in the other format.
  [[nodiscard]] static Result<Converter> Create(const Dataset& dataset, const std::vector<ShardRow>& shards, Framing to,
                                                Lossy lossy, ShardSetWriter& writer, Context& context);

  /// Compares payloads with their checksums. For an index without --verify, whose payloads were never checked.
  void CheckPayloads() { check_.emplace(dataset_); }

  /// Returns the records that were found bad, in the order in which they were read.
  [[nodiscard]] const std::vector<BadRow>& bad() const { return bad_; }

  /// Writes the records given by `next`. Returns the exit code: 3 if bad records were skipped, so that their shards
  /// have fewer records. Errors: those of StreamRecords; kFeature if a value cannot be expressed in the other message.
  [[nodiscard]] Result<int> Run(const NextOrdinal& next);

 private:
  Converter(const Dataset& dataset, std::shared_ptr<SharedCatalog> catalog, const std::vector<ShardRow>& shards,
            ShardSetWriter& writer, Context& context)
      : dataset_(dataset), catalog_(std::move(catalog)), shards_(shards), writer_(writer), context_(context) {}

  [[nodiscard]] Result<void> Take(uint64_t ordinal, ByteView payload);
  [[nodiscard]] Result<void> PassOverUntil(uint64_t ordinal);
  [[nodiscard]] Result<ByteView> Converted(const ShardRow& shard, const RecordLocation& location, ByteView payload);
  const Dataset& dataset_;
  std::shared_ptr<SharedCatalog> catalog_;
  const std::vector<ShardRow>& shards_;  // in the catalog's order
  ShardSetWriter& writer_;
  Context& context_;
  bool to_ofrecord_ = false;
  std::map<PayloadKind, Transcoder> transcoders_;
  std::optional<PayloadCheck> check_;
  std::vector<BadRow> bad_;
  BadReason bad_reason_ = BadReason::kMalformed;  // of the last bad record
  std::deque<uint64_t> waiting_;                  // requested, and not yet taken
};

}  // namespace ofindex
