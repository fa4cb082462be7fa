#include "query/decoding/piece_decoder.h"

#include <algorithm>
#include <utility>

namespace ofindex {
namespace {

constexpr uint64_t kMinRecords = 16;
constexpr uint64_t kMaxPieceRecords = 256;
constexpr uint64_t kMaxKeptPiece = uint64_t{16} << 20;
constexpr uint64_t kPieceBytes = uint64_t{256} << 10;  // at most half of a processor's own cache
constexpr uint64_t kMaxPieceBytes = uint64_t{4} << 20;

}  // namespace

PieceDecoder::PieceDecoder(const DecodingPlan& plan, DecoderStatePool& pool, const PayloadSource& source,
                           std::span<uint8_t* const> places)
    : plan_(plan), source_(source), pool_(pool), state_(pool.Take()) {
  if (state_ == nullptr) state_ = std::make_unique<DecoderState>(plan);
  columns_.reserve(plan.specs().size());
  for (size_t i = 0; i < plan.specs().size(); ++i) columns_.emplace_back(plan.specs()[i], places[i]);
}

// A state that held a huge record is not kept: its memory only grows.
PieceDecoder::~PieceDecoder() {
  if (max_bytes_ <= kMaxKeptPiece) pool_.Give(std::move(state_));
}

Result<void> PieceDecoder::Decode(std::span<const uint64_t> ordinals, uint64_t first) {
  auto fetched = source_.Fetch(ordinals, state_->payloads);
  if (fetched) return DecodeFetched(ordinals, first);
  if (ordinals.size() <= 1) return fetched;
  // A record before the one that cannot be fetched may have an error too.
  for (size_t i = 0; i < ordinals.size(); ++i) OFINDEX_TRY(Decode(ordinals.subspan(i, 1), first + i));
  return {};
}

Result<void> PieceDecoder::DecodeFetched(std::span<const uint64_t> ordinals, uint64_t first) {
  state_->plain.RefreshHeaderCache();
  uint64_t bytes = 0;
  for (size_t i = 0; i < ordinals.size(); ++i) {
    const ByteView payload = state_->payloads.payload(i);
    bytes += payload.size();
    if (!state_->plain.Decode(payload, state_->payloads.kind(i), first + i, columns_)) {
      OFINDEX_TRY(DecodeWhole(ordinals[i], i, first + i));
    }
    ++records_;
  }
  max_bytes_ = std::max(max_bytes_, bytes);
  ChoosePiece(bytes / std::max<uint64_t>(ordinals.size(), 1));
  return {};
}

Result<void> PieceDecoder::DecodeWhole(uint64_t ordinal, size_t i, uint64_t record) {
  for (FeatureColumn& column : columns_) column.Rewind(records_);
  auto decoded = state_->whole.Decode(state_->payloads.payload(i), state_->payloads.kind(i), record, columns_);
  if (decoded) return {};
  return tl::unexpected<Error>(source_.Explain(ordinal, std::move(decoded).error()));
}

// As many as fit in the cache; for large records enough to overlap their reads, unless a few fill a batch.
void PieceDecoder::ChoosePiece(uint64_t bytes) {
  bytes = std::max<uint64_t>(bytes, 1);
  const uint64_t limit = std::clamp<uint64_t>(kMaxPieceBytes / bytes, 1, kMaxPieceRecords);
  state_->piece_records = std::min(std::max(kPieceBytes / bytes, kMinRecords), limit);
}

void PieceDecoder::ReserveFor(uint64_t records) {
  for (size_t feature = 0; feature < columns_.size(); ++feature) {
    FeatureColumn& column = columns_[feature];
    uint64_t record_bytes = plan_.RecordBytes(feature);
    if (record_bytes == 0 && records_ != 0) record_bytes = column.array().values.size() / records_ + 1;
    uint64_t bytes = 0;
    if (!__builtin_mul_overflow(record_bytes, records, &bytes)) column.ReserveFor(records, bytes + bytes / 16);
  }
}

}  // namespace ofindex
