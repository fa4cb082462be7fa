#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "index/build/index_writer.h"
#include "index/merge/merge_source.h"
#include "index/scan/scan.h"
#include "index/update/update_plan.h"

namespace ofindex {

/// Writes the shards of an updated index: copies what the old one has, and scans what it has not. Not thread-safe.
class UpdateWriter {
 public:
  /// `prunes`: missing shards are left out, and all others come in natural order of their paths, each in one piece; so
  /// records get new ordinals. Otherwise all pieces stay where they are, and new ones follow. All arguments must
  /// outlive the writer.
  UpdateWriter(MergeSource& source, const UpdatePlan& plan, bool prunes, IndexWriter& writer, Progress& progress);

  /// Writes everything. Call it once. Errors: kIndex, kStale, kIo, kInterrupted; those of the scan.
  [[nodiscard]] Result<void> Write(const ScanOptions& options);

  /// Returns the number of records of each added piece, after Write.
  [[nodiscard]] const std::vector<uint64_t>& added_records() const { return added_records_; }

 private:
  // A piece of the new index: pieces of the old one, and then what is scanned.
  struct Piece {
    std::vector<uint32_t> old = {};
    std::optional<size_t> added = {};
  };

  [[nodiscard]] std::vector<Piece> PiecesInPlace() const;
  [[nodiscard]] std::vector<Piece> PiecesByPath() const;
  [[nodiscard]] Result<void> WritePieces(const std::vector<Piece>& pieces, BlockQueue* queue);
  [[nodiscard]] ShardRow RowOf(const Piece& piece) const;
  [[nodiscard]] Result<void> Copy(uint32_t old, ShardFindings& findings);
  [[nodiscard]] Result<void> TakeScanned(size_t added, BlockQueue& queue, ShardFindings& findings);
  [[nodiscard]] Result<void> AddAbsences();

  MergeSource& source_;
  const UpdatePlan& plan_;
  bool prunes_;
  IndexWriter& writer_;
  Progress& progress_;
  uint64_t generation_;
  std::vector<uint32_t> numbers_;  // of the old pieces in the new index
  std::vector<uint64_t> added_records_;
  // Damage of compressed shards that have grown, by the first old piece: the scan tells where in the file it is now.
  std::map<uint32_t, std::vector<DamagedRange>> moved_damage_;
};

}  // namespace ofindex
