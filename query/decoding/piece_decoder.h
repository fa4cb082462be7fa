#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/result.h"
#include "base/threads.h"
#include "query/decoding/decoding_plan.h"
#include "query/decoding/feature_column.h"
#include "query/decoding/payload_source.h"
#include "query/decoding/plain_decoder.h"
#include "query/decoding/whole_record.h"

namespace ofindex {

/// The reusable state of a thread that decodes records of one plan: memory, and the shape of the last records.
struct DecoderState {
  explicit DecoderState(const DecodingPlan& plan) : plain(plan) {}

  PlainDecoder plain;
  WholeRecord whole;
  FetchedPayloads payloads;
  uint64_t piece_records = 16;  ///< of the next piece
};

/// The unused decoder states of one plan. Kept because freed memory would go back to the system, and for small batches
/// the page faults of new memory took longer than decoding.
class DecoderStatePool : public Spares<DecoderState> {};

/// Decodes pieces of one request in order into its own columns; one per thread. A piece is fetched and decoded while it
/// is in the processor's cache.
class PieceDecoder {
 public:
  /// `places` has, for each spec, where the numbers of record 0 go; null for those that have no place. All arguments
  /// must outlive this. This and the functions below may throw std::bad_alloc.
  PieceDecoder(const DecodingPlan& plan, DecoderStatePool& pool, const PayloadSource& source,
               std::span<uint8_t* const> places);
  ~PieceDecoder();
  PieceDecoder(const PieceDecoder&) = delete;
  PieceDecoder& operator=(const PieceDecoder&) = delete;

  /// Decodes `ordinals`, the first of which is number `first` of the request. Errors: those of BatchDecoder::Decode,
  /// for the first record that has one.
  [[nodiscard]] Result<void> Decode(std::span<const uint64_t> ordinals, uint64_t first);

  /// Returns the number of records for a piece, based on their sizes in the last piece.
  [[nodiscard]] uint64_t piece_records() const { return state_->piece_records; }

  /// Reserves room for about `records` records in all, based on the sizes in the last request, or otherwise on those
  /// decoded so far.
  void ReserveFor(uint64_t records);

  /// The number of records decoded.
  [[nodiscard]] uint64_t records() const { return records_; }

  [[nodiscard]] std::vector<FeatureColumn>& columns() { return columns_; }
  [[nodiscard]] const std::vector<FeatureColumn>& columns() const { return columns_; }

 private:
  [[nodiscard]] Result<void> DecodeFetched(std::span<const uint64_t> ordinals, uint64_t first);
  [[nodiscard]] Result<void> DecodeWhole(uint64_t ordinal, size_t i, uint64_t record);
  void ChoosePiece(uint64_t bytes);

  const DecodingPlan& plan_;
  const PayloadSource& source_;
  std::vector<FeatureColumn> columns_;
  DecoderStatePool& pool_;
  std::unique_ptr<DecoderState> state_;
  uint64_t max_bytes_ = 0;  // of a piece
  uint64_t records_ = 0;
};

}  // namespace ofindex
