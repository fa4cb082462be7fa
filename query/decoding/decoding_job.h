#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "query/decoding/decoded_batch.h"
#include "query/decoding/decoding_plan.h"
#include "query/decoding/payload_source.h"
#include "query/decoding/piece_decoder.h"

namespace ofindex {

/// Some records of a request, and the decoder that has decoded them.
struct DecodedPiece {
  uint64_t first = 0;  ///< number of its first record in the request
  uint64_t records = 0;
  const PieceDecoder* decoder = nullptr;
  uint64_t decoded_first = 0;  ///< number of its first record in the decoder
};

/// Moves the arrays of `decoder`, which decoded all records, to those arrays of `batch` whose place was not allocated
/// before decoding.
void TakeArrays(PieceDecoder& decoder, DecodedBatch& batch);

/// Fills the arrays whose place was not allocated before decoding from `pieces`, which are complete and in order, on up
/// to `threads` threads. Errors: kLimit.
[[nodiscard]] Result<void> JoinPieces(std::span<const DecodedPiece> pieces, unsigned threads, DecodedBatch& batch);

/// One request in progress: threads take pieces of it, in order, until none is left or one fails. For a single run;
/// views all its inputs. May throw std::bad_alloc.
class DecodingJob {
 public:
  DecodingJob(const DecodingPlan& plan, DecoderStatePool& pool, const PayloadSource& source,
              std::span<const uint64_t> ordinals, const std::atomic<bool>* cancel)
      : plan_(plan), pool_(pool), source_(source), ordinals_(ordinals), cancel_(cancel) {}

  /// Decodes the request. Errors: those of BatchDecoder::Decode.
  [[nodiscard]] Result<DecodedBatch> Run(unsigned threads);

 private:
  // The work of one thread.
  struct Worker {
    std::unique_ptr<PieceDecoder> decoder = {};
    std::vector<DecodedPiece> pieces = {};
  };

  [[nodiscard]] Result<void> MakePlaces();
  void Work(Worker& worker, uint64_t share);
  [[nodiscard]] Result<void> WorkOn(Worker& worker, uint64_t share);
  [[nodiscard]] bool Take(uint64_t records, DecodedPiece& piece);
  [[nodiscard]] Result<void> Collect(std::vector<Worker>& workers);
  void NoteError(uint64_t first, Error error);

  const DecodingPlan& plan_;
  DecoderStatePool& pool_;
  const PayloadSource& source_;
  std::span<const uint64_t> ordinals_;
  const std::atomic<bool>* cancel_;

  DecodedBatch batch_;
  std::vector<uint8_t*> places_;    // by spec, for numbers with an array allocated in advance
  std::atomic<uint64_t> taken_{0};  // records
  std::atomic<bool> failed_{false};

  std::mutex mutex_;
  uint64_t error_at_ = 0;  // first record of the failed piece
  std::optional<Error> error_;
};

}  // namespace ofindex
