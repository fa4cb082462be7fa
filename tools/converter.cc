#include "tools/converter.h"

#include <utility>

#include "base/text.h"
#include "tools/record_error.h"

namespace ofindex {
namespace {

// The message that records of `kind` become. What ofindex does not know is framed anew, as it is.
PayloadKind TargetOf(PayloadKind kind, Framing to) {
  if (kind == PayloadKind::kOpaque) return kind;
  if (to == Framing::kOfRecord) return PayloadKind::kOfRecord;
  return kind == PayloadKind::kOfRecord ? PayloadKind::kExample : kind;
}

}  // namespace

Result<Converter> Converter::Create(const Dataset& dataset, Framing to, Lossy lossy, ShardSetWriter& writer,
                                    Context& context) {
  Converter converter(dataset, writer, context);
  converter.to_ofrecord_ = to == Framing::kOfRecord;
  const OffsetMap& map = dataset.reader().map();
  for (uint64_t i = 0; i < map.shards(); ++i) {
    OFINDEX_ASSIGN(const MapShard shard, map.Shard(i));
    converter.kinds_.push_back(shard.payload);
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
      dataset_, noted, [this](uint64_t ordinal, ByteView payload) { return Take(ordinal, payload); }, context_);
}

// Those that were asked for before `ordinal` and never came are bad, and were reported.
Result<void> Converter::PassOverUntil(uint64_t ordinal) {
  while (waiting_.front() != ordinal) {
    OFINDEX_TRY(writer_.PassOver());
    waiting_.pop_front();
  }
  return {};
}

Result<void> Converter::Take(uint64_t ordinal, ByteView payload) {
  OFINDEX_TRY(PassOverUntil(ordinal));
  OFINDEX_ASSIGN(const RecordLocation location, dataset_.reader().Locate(ordinal));
  Result<ByteView> converted = transcoders_.at(kinds_[location.shard]).Convert(payload);
  if (converted && converted->empty() && to_ofrecord_) {
    converted = Fail(ErrorCode::kDamage, "a record of no bytes, which an OFRecord cannot be");
  }
  if (!converted) return tl::unexpected(InRecord(dataset_, ordinal, std::move(converted).error()));
  OFINDEX_TRY(writer_.Write(*converted));
  waiting_.pop_front();
  ++context_.progress.records_done;
  context_.progress.bytes_done += payload.size();
  return {};
}

}  // namespace ofindex
