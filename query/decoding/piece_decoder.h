#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/result.h"
#include "query/decoding/decoding_plan.h"
#include "query/decoding/decoding_tools.h"
#include "query/decoding/feature_column.h"
#include "query/decoding/payload_source.h"

namespace ofindex {

/// Decodes pieces of one request, one after the other, into columns of its own: what one thread does. A piece is
/// fetched and decoded while it is in the processor's cache.
class PieceDecoder {
 public:
  /// `places` has, for each spec, where the numbers of record 0 go; null for those that have no place. All has to
  /// outlive it. May throw std::bad_alloc, as all that follows.
  PieceDecoder(const DecodingPlan& plan, ToolStash& stash, const PayloadSource& source,
               std::span<uint8_t* const> places);
  ~PieceDecoder();
  PieceDecoder(const PieceDecoder&) = delete;
  PieceDecoder& operator=(const PieceDecoder&) = delete;

  /// Decodes `ordinals`, of which the first is number `first` of the request. Errors: those of BatchDecoder::Decode, of
  /// the first record that has one.
  [[nodiscard]] Result<void> Decode(std::span<const uint64_t> ordinals, uint64_t first);

  /// Records of a piece, given how large they were in the last one.
  [[nodiscard]] uint64_t piece_records() const { return tools_->piece_records; }

  /// Makes room for about `records` in all, each as large as those of the last request, or else of those decoded so
  /// far.
  void ReserveFor(uint64_t records);

  /// Records that were decoded.
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
  ToolStash& stash_;
  std::unique_ptr<DecodingTools> tools_;
  uint64_t most_bytes_ = 0;  // of a piece
  uint64_t records_ = 0;
};

}  // namespace ofindex
