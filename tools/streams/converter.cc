#include "tools/streams/converter.h"

#include <memory>
#include <string>
#include <utility>

#include "base/text.h"

namespace ofindex {
namespace {

// Returns the kind of payload to which payloads of `kind` are converted. Opaque payloads are only framed again.
PayloadKind TargetOf(PayloadKind kind, Framing to) {
  if (kind == PayloadKind::kOpaque) return kind;
  if (to == Framing::kOfRecord) return PayloadKind::kOfRecord;
  return kind == PayloadKind::kOfRecord ? PayloadKind::kExample : kind;
}

}  // namespace

Result<Converter> Converter::Create(const Dataset& dataset, const std::vector<ShardRow>& shards, Framing to,
                                    Lossy lossy, ShardSetWriter& writer, Context& context) {
  OFINDEX_ASSIGN(std::shared_ptr<SharedCatalog> catalog, dataset.snapshot()->Catalog());
  Converter converter(dataset, std::move(catalog), shards, writer, context);
  converter.to_ofrecord_ = to == Framing::kOfRecord;
  for (const ShardRow& shard : shards) {
    if (shard.records == 0 || converter.transcoders_.contains(shard.payload)) continue;
    auto transcoder = Transcoder::Create(shard.payload, TargetOf(shard.payload, to), lossy);
    if (!transcoder) {
      Error error = std::move(transcoder).error();
      error.message = StrCat(Printable(shard.path), ": ", error.message);
      return tl::unexpected(std::move(error));
    }
    converter.transcoders_.emplace(shard.payload, std::move(*transcoder));
  }
  return converter;
}

Result<int> Converter::Run(const NextOrdinal& next) {
  const NextOrdinal noted = [&](uint64_t& ordinal) -> Result<bool> {
    OFINDEX_ASSIGN(const bool more, next(ordinal));
    if (more) waiting_.push_back(ordinal);
    return more;
  };
  return StreamRecords(
      dataset_, noted, [this](uint64_t ordinal, const LentRecord& record) { return Take(ordinal, record.payload()); },
      context_, LargeRecords::kCopied);
}

// Passes over the requested records before `ordinal`. They did not arrive because they are bad, which was reported.
Result<void> Converter::PassOverUntil(uint64_t ordinal) {
  while (waiting_.front() != ordinal) {
    OFINDEX_TRY(writer_.PassOver());
    waiting_.pop_front();
  }
  return {};
}

// Sets bad_reason_ if the payload is bad.
Result<ByteView> Converter::Converted(const ShardRow& shard, const RecordLocation& location, ByteView payload) {
  if (check_ && shard.framing == Framing::kTfRecord) {
    OFINDEX_ASSIGN(const bool holds, check_->Holds(location, payload));
    bad_reason_ = BadReason::kPayloadCrc;
    if (!holds) return Fail(ErrorCode::kDamage, std::string(kNoMatch));
  }
  bad_reason_ = BadReason::kMalformed;
  OFINDEX_ASSIGN(const ByteView converted, transcoders_.at(shard.payload).Convert(payload));
  if (converted.empty() && to_ofrecord_) {
    return Fail(ErrorCode::kDamage, "an empty record, which OFRecord cannot store",
                "write TFRecords, or leave the record out");
  }
  return converted;
}

Result<void> Converter::Take(uint64_t ordinal, ByteView payload) {
  OFINDEX_TRY(PassOverUntil(ordinal));
  OFINDEX_ASSIGN(const RecordLocation location, dataset_.reader().Locate(ordinal));
  OFINDEX_ASSIGN(const uint32_t number, catalog_->ShardOfPiece(location.shard));
  const ShardRow& shard = shards_[number];
  Result<ByteView> converted = Converted(shard, location, payload);
  if (!converted) {
    if (converted.error().code == ErrorCode::kDamage) {
      bad_.push_back({ordinal, number, location.offset, bad_reason_});
    }
    return tl::unexpected(InRecord(ordinal, shard, location.offset, std::move(converted).error()));
  }
  OFINDEX_TRY(writer_.Write(*converted));
  waiting_.pop_front();
  ++context_.progress.records_done;
  context_.progress.bytes_done += payload.size();
  return {};
}

}  // namespace ofindex
