#include "tools/streams/converter.h"

#include <memory>
#include <string>
#include <utility>

#include "base/framing.h"
#include "base/shard_identity.h"
#include "base/text.h"

namespace ofindex {
namespace {

constexpr uint64_t kCloseBehind = uint64_t{8} << 10;  // checksums closer than this are read together
constexpr uint64_t kWindowBytes = uint64_t{128} << 10;
constexpr uint64_t kFooter = FooterBytes(Framing::kTfRecord);

// Returns the kind of payload to which payloads of `kind` are converted. Opaque payloads are only framed again.
PayloadKind TargetOf(PayloadKind kind, Framing to) {
  if (kind == PayloadKind::kOpaque) return kind;
  if (to == Framing::kOfRecord) return PayloadKind::kOfRecord;
  return kind == PayloadKind::kOfRecord ? PayloadKind::kExample : kind;
}

}  // namespace

// Reads the checksum at `at`, and the following ones too if it is close to the end of the window.
Result<void> PayloadCheck::Refill(uint32_t shard, uint64_t at) {
  const uint64_t window_end = window_begin_ + window_.size();
  const bool close = shard == shard_ && at + kFooter > window_end && at < window_end + kCloseBehind;
  window_.resize(close ? kWindowBytes : kFooter);
  OFINDEX_ASSIGN(const size_t got, dataset_.reader().ReadBytes(shard, at, window_));
  if (got < kFooter) {
    OFINDEX_ASSIGN(const std::string path, dataset_.reader().ShardPath(shard));
    return Fail(ErrorCode::kStale, StrCat(Printable(path), "@", at, ": the shard was truncated meanwhile"), kStaleHint);
  }
  window_.resize(got);
  window_begin_ = at;
  shard_ = shard;
  return {};
}

Result<bool> PayloadCheck::Holds(const RecordLocation& location, ByteView payload) {
  const uint64_t at = location.offset + HeaderBytes(Framing::kTfRecord) + location.length;
  const bool at_hand =
      location.shard == shard_ && at >= window_begin_ && at + kFooter <= window_begin_ + window_.size();
  if (!at_hand) OFINDEX_TRY(Refill(location.shard, at));
  return MaskCrc(Crc32c(payload)) == LoadLe32(window_.data() + (at - window_begin_));
}

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

Error Converter::InRecord(uint64_t ordinal, const ShardRow& shard, uint64_t offset, Error error) {
  error.message = StrCat(Printable(shard.path), "@", offset + HeaderBytes(shard.framing), ": record ", ordinal, ": ",
                         error.message);
  if (error.hint.empty()) error.hint = StrCat("`ofindex get --wire INDEX ", ordinal, "` explains its bytes");
  return error;
}

Result<int> Converter::Run(const NextOrdinal& next) {
  const NextOrdinal noted = [&](uint64_t& ordinal) -> Result<bool> {
    OFINDEX_ASSIGN(const bool more, next(ordinal));
    if (more) waiting_.push_back(ordinal);
    return more;
  };
  return StreamRecords(
      dataset_, noted, [this](uint64_t ordinal, ByteView payload) { return Take(ordinal, payload); }, context_);
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
    if (!holds) return Fail(ErrorCode::kDamage, "the payload does not match its checksum");
  }
  bad_reason_ = BadReason::kMalformed;
  OFINDEX_ASSIGN(const ByteView converted, transcoders_.at(shard.payload).Convert(payload));
  if (converted.empty() && to_ofrecord_) {
    return Fail(ErrorCode::kDamage, "an empty record, which OFRecord cannot store");
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
