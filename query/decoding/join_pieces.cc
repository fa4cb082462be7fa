#include "query/decoding/join_pieces.h"

#include <atomic>
#include <cstring>
#include <utility>
#include <vector>

#include "base/text.h"
#include "base/threads.h"
#include "query/decoding/decoding_job.h"

namespace ofindex {
namespace {

bool HasPlace(const FeatureArray& array) {
  return array.form != FeatureSpec::Form::kRagged && array.type != DataType::kBytes;
}

// Where the part of a piece goes in the array of a feature.
struct Target {
  uint64_t value;  ///< of its first value
  uint64_t byte;
};

/// The part of one piece in one feature.
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

  // Ends of `n` things that began at `base`, and begin at `new_base`.
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

/// Makes the array of `feature` as large as `pieces` need, and notes where each of them goes.
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

}  // namespace ofindex
