#include "query/decoding/decoding_job.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <utility>
#include <vector>

#include "base/allocation.h"
#include "base/progress.h"
#include "base/text.h"
#include "base/threads.h"

namespace ofindex {
namespace {

bool HasPlace(const FeatureArray& array) {
  return array.form != FeatureSpec::Form::kRagged && array.type != DataType::kBytes;
}

// The place in the array of a feature to which the values of a piece are copied.
struct Target {
  uint64_t value;  ///< of its first value
  uint64_t byte;
};

/// The values of one feature in one piece.
struct Part {
  Part(const DecodedPiece& decoded, size_t feature)
      : column(decoded.decoder->columns()[feature]),
        piece(decoded),
        first_value(column.ValuesOf(piece.decoded_first)),
        values(column.ValuesOf(piece.decoded_first + piece.records) - first_value),
        first_byte(column.BytesOf(first_value)),
        bytes(column.BytesOf(first_value + values) - first_byte) {}

  void CopyTo(const Target& target, FeatureArray& array) const {
    const FeatureArray& from = column.array();
    if (bytes != 0) std::memcpy(array.values.data() + target.byte, from.values.data() + first_byte, bytes);
    if (!array.offsets.empty()) {
      Move(from.offsets, first_value, values, first_byte, array.offsets, target.value, target.byte);
    }
    if (!array.rows.empty()) {
      Move(from.rows, piece.decoded_first, piece.records, first_value, array.rows, piece.first, target.value);
    }
  }

  // Rebases the ends of `n` items from `base` to `new_base`.
  static void Move(const std::vector<int64_t>& from, uint64_t at, uint64_t n, uint64_t base, std::vector<int64_t>& to,
                   uint64_t to_at, uint64_t new_base) {
    const auto shift = static_cast<int64_t>(new_base - base);
    for (uint64_t i = 1; i <= n; ++i) to[to_at + i] = from[at + i] + shift;
  }

  const FeatureColumn& column;
  const DecodedPiece& piece;
  uint64_t first_value;
  uint64_t values;
  uint64_t first_byte;
  uint64_t bytes;
};

/// Sizes the array of `feature` for `pieces`, and computes the target of each piece.
Result<void> MakeRoom(std::span<const DecodedPiece> pieces, size_t feature, DecodedBatch& batch,
                      std::vector<Target>& targets) {
  FeatureArray& array = batch.arrays[feature];
  Target next{0, 0};
  for (const DecodedPiece& piece : pieces) {
    const Part part(piece, feature);
    targets.push_back(next);
    next.value += part.values;
    next.byte += part.bytes;
  }
  array.count = next.value;
  if (array.type == DataType::kBytes) array.offsets.resize(next.value + 1);
  if (array.form == FeatureSpec::Form::kRagged) array.rows.resize(batch.records + 1);
  if (array.values.Reserve(next.byte) && array.values.Extend(next.byte)) return {};
  return Fail(ErrorCode::kLimit, StrCat("out of memory for ", kBatchMemory), "ask for fewer records at once");
}

constexpr uint64_t kMinShare = 128;  // the fewest records worth a thread
constexpr uint64_t kNowhere = ~uint64_t{0};

}  // namespace

void TakeArrays(PieceDecoder& decoder, DecodedBatch& batch) {
  for (size_t feature = 0; feature < batch.arrays.size(); ++feature) {
    if (HasPlace(batch.arrays[feature])) continue;
    FeatureColumn& column = decoder.columns()[feature];
    const uint64_t count = column.ValuesOf(batch.records);
    batch.arrays[feature] = std::move(column.array());
    batch.arrays[feature].count = count;
  }
}

Result<void> JoinPieces(std::span<const DecodedPiece> pieces, unsigned threads, DecodedBatch& batch) {
  std::vector<size_t> features;
  std::vector<Target> targets;  // of all pieces, by feature
  for (size_t feature = 0; feature < batch.arrays.size(); ++feature) {
    if (HasPlace(batch.arrays[feature])) continue;
    features.push_back(feature);
    OFINDEX_TRY(MakeRoom(pieces, feature, batch, targets));
  }
  if (features.empty()) return {};
  std::atomic<size_t> taken{0};
  RunOnThreads(threads, [&](unsigned) {
    for (size_t i = taken++; i < pieces.size(); i = taken++) {
      for (size_t k = 0; k < features.size(); ++k) {
        Part(pieces[i], features[k]).CopyTo(targets[k * pieces.size() + i], batch.arrays[features[k]]);
      }
    }
  });
  return {};
}

Result<DecodedBatch> DecodingJob::Run(unsigned threads) {
  OFINDEX_TRY(MakePlaces());
  const uint64_t limit = std::max<uint64_t>(ordinals_.size() / kMinShare, 1);
  std::vector<Worker> workers(std::clamp<uint64_t>(threads, 1, limit));
  const uint64_t share = ordinals_.size() / workers.size() + 1;
  RunOnThreads(static_cast<unsigned>(workers.size()), [&](unsigned k) { Work(workers[k], share); });
  if (error_) return tl::unexpected<Error>(std::move(*error_));
  OFINDEX_TRY(Collect(workers));
  for (size_t i = 0; i < places_.size() && batch_.records != 0; ++i) {
    plan_.Remember(i, batch_.arrays[i].values.size() / batch_.records + 1);
  }
  return std::move(batch_);
}

// Allocates the array of each fixed-length numeric feature.
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
  worker.decoder = std::make_unique<PieceDecoder>(plan_, pool_, source_, places_);
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

// Pieces are taken in order, and a taken piece is decoded up to its first error: so the error of the lowest piece is
// the first error of the request.
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
