#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/result.h"
#include "query/decoding/decoding_plan.h"
#include "query/decoding/feature_column.h"
#include "query/decoding/payload_source.h"
#include "query/decoding/plain_walk.h"
#include "query/decoding/whole_record.h"

namespace ofindex {

/// What a thread needs to decode records of one plan, and is worth keeping from request to request: memory, and what
/// the records looked like.
struct DecodingTools {
  explicit DecodingTools(const DecodingPlan& plan) : plain(plan) {}

  PlainWalk plain;
  WholeRecord whole;
  FetchedPayloads payloads;
  uint64_t piece_records = 16;  ///< that the next piece has
};

/// The tools of one plan that nobody uses. Memory of small batches that was freed instead went back to the system, and
/// its page faults took longer than decoding. Thread-safe without locks, so that a fork leaves nothing locked.
class ToolStash {
 public:
  ToolStash() = default;
  ~ToolStash();
  ToolStash(const ToolStash&) = delete;
  ToolStash& operator=(const ToolStash&) = delete;

  /// Tools of `plan`, new ones if there are none. May throw std::bad_alloc.
  [[nodiscard]] std::unique_ptr<DecodingTools> Take(const DecodingPlan& plan);

  /// Takes them back; there is room for those of eight threads.
  void Give(std::unique_ptr<DecodingTools> tools);

 private:
  std::array<std::atomic<DecodingTools*>, 8> slots_{};
};

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
