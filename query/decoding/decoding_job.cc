#include "query/decoding/decoding_job.h"

#include <algorithm>
#include <utility>

#include "base/allocation.h"
#include "base/progress.h"
#include "base/text.h"
#include "base/threads.h"

namespace ofindex {
namespace {

constexpr uint64_t kLeastShare = 128;  // records that are worth a thread
constexpr uint64_t kNowhere = ~uint64_t{0};

}  // namespace

Result<DecodedBatch> DecodingJob::Run(unsigned threads) {
  OFINDEX_TRY(MakePlaces());
  const uint64_t most = std::max<uint64_t>(ordinals_.size() / kLeastShare, 1);
  std::vector<Worker> workers(std::clamp<uint64_t>(threads, 1, most));
  const uint64_t share = ordinals_.size() / workers.size() + 1;
  RunOnThreads(static_cast<unsigned>(workers.size()), [&](unsigned k) { Work(workers[k], share); });
  if (error_) return tl::unexpected<Error>(std::move(*error_));
  OFINDEX_TRY(Collect(workers));
  for (size_t i = 0; i < places_.size() && batch_.records != 0; ++i) {
    plan_.Remember(i, batch_.arrays[i].values.size() / batch_.records + 1);
  }
  return std::move(batch_);
}

// Gives numbers of which every record has as many their array.
Result<void> DecodingJob::MakePlaces() {
  const uint64_t records = ordinals_.size();
  batch_.records = records;
  for (const FeatureSpec& spec : plan_.specs()) {
    FeatureArray& array = batch_.arrays.emplace_back(FeatureArray{.type = spec.type, .form = spec.form});
    places_.push_back(nullptr);
    if (!FeatureColumn::HasPlace(spec)) continue;
    uint64_t bytes = 0;
    const bool fits = !__builtin_mul_overflow(records, spec.values * ItemBytes(spec.type), &bytes);
    if (!fits || !array.values.Reserve(bytes) || !array.values.Extend(bytes)) {
      return Fail(ErrorCode::kLimit, StrCat("out of memory for ", kBatchMemory), "ask for fewer records at once");
    }
    array.count = records * spec.values;
    places_.back() = array.values.data();
  }
  return {};
}

void DecodingJob::Work(Worker& worker, uint64_t share) {
  if (auto worked = WithMemory(kBatchMemory, [&] { return WorkOn(worker, share); }); !worked) {
    const uint64_t first = worker.pieces.empty() ? kNowhere : worker.pieces.back().first;
    NoteError(first, std::move(worked).error());
  }
}

Result<void> DecodingJob::WorkOn(Worker& worker, uint64_t share) {
  worker.decoder = std::make_unique<PieceDecoder>(plan_, stash_, source_, places_);
  PieceDecoder& decoder = *worker.decoder;
  decoder.ReserveFor(share);
  DecodedPiece piece;
  while (!failed_ && Take(decoder.piece_records(), piece)) {
    piece.decoder = &decoder;
    piece.decoded_first = decoder.records();
    worker.pieces.push_back(piece);
    if (cancel_ != nullptr && *cancel_) return Interrupted();
    OFINDEX_TRY(decoder.Decode(ordinals_.subspan(piece.first, piece.records), piece.first));
    if (worker.pieces.size() == 1 && piece.records < share) decoder.ReserveFor(share);
  }
  return {};
}

bool DecodingJob::Take(uint64_t records, DecodedPiece& piece) {
  const uint64_t first = taken_.fetch_add(records);
  if (first >= ordinals_.size()) return false;
  piece.first = first;
  piece.records = std::min(records, ordinals_.size() - first);
  return true;
}

// Pieces are taken in order, and a piece that is taken is decoded up to its first error: so that of the lowest piece is
// the first there is.
void DecodingJob::NoteError(uint64_t first, Error error) {
  const std::lock_guard lock(mutex_);
  failed_ = true;
  if (error_ && error_at_ <= first) return;
  error_at_ = first;
  error_ = std::move(error);
}

Result<void> DecodingJob::Collect(std::vector<Worker>& workers) {
  std::vector<DecodedPiece> pieces;
  std::erase_if(workers, [](const Worker& worker) { return worker.decoder == nullptr; });
  if (workers.size() == 1) {
    TakeArrays(*workers.front().decoder, batch_);
    return {};
  }
  for (const Worker& worker : workers) pieces.insert(pieces.end(), worker.pieces.begin(), worker.pieces.end());
  std::sort(pieces.begin(), pieces.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  return JoinPieces(pieces, static_cast<unsigned>(workers.size()), batch_);
}

}  // namespace ofindex
