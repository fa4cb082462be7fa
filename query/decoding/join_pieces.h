#pragma once

#include <cstdint>
#include <span>

#include "base/result.h"
#include "query/decoding/decoded_batch.h"
#include "query/decoding/piece_decoder.h"

namespace ofindex {

/// Some records of a request, and where they were decoded.
struct DecodedPiece {
  uint64_t first = 0;  ///< number in the request of its first record
  uint64_t records = 0;
  const PieceDecoder* decoder = nullptr;
  uint64_t decoded_first = 0;  ///< number of its first record among those of the decoder
};

/// Fills the arrays of `batch` that have no place with what `decoder` has, which decoded all records, and takes it from
/// it.
void TakeArrays(PieceDecoder& decoder, DecodedBatch& batch);

/// Fills them with `pieces`, which are all there are, in order, on up to `threads` threads. Errors: kLimit.
[[nodiscard]] Result<void> JoinPieces(std::span<const DecodedPiece> pieces, unsigned threads, DecodedBatch& batch);

}  // namespace ofindex
