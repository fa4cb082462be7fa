#include "index/update/update_writer.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "index/build/fill_index.h"
#include "index/walk/stream_findings.h"

namespace ofindex {

UpdateWriter::UpdateWriter(MergeSource& source, const UpdatePlan& plan, bool prunes, IndexWriter& writer,
                           Progress& progress)
    : source_(source),
      plan_(plan),
      prunes_(prunes),
      writer_(writer),
      progress_(progress),
      generation_(static_cast<uint64_t>(source.generations().back().number) + 1),
      numbers_(plan.pieces.size(), IndexWriter::kOwnFile),
      added_records_(plan.added.size()) {}

Result<void> UpdateWriter::Write(const ScanOptions& options) {
  OFINDEX_TRY(source_.AddFeaturesTo(writer_));
  OFINDEX_ASSIGN(const std::vector<FeatureRow> features, source_.ReadFeatures());
  writer_.KeepNames(features);
  const std::vector<Piece> pieces = prunes_ ? PiecesByPath() : PiecesInPlace();
  if (plan_.added.empty()) {
    OFINDEX_TRY(WritePieces(pieces, nullptr));
  } else {
    std::vector<ProbedShard> shards;
    for (const NewPiece& piece : plan_.added) shards.push_back(piece.shard);
    OFINDEX_TRY(ScanShards(shards, options, progress_, [&](BlockQueue& queue) { return WritePieces(pieces, &queue); }));
  }
  return prunes_ ? Result<void>() : AddAbsences();
}

std::vector<UpdateWriter::Piece> UpdateWriter::PiecesInPlace() const {
  std::vector<Piece> pieces;
  for (uint32_t i = 0; i < plan_.pieces.size(); ++i) {
    if (!plan_.pieces[i].dropped) pieces.push_back({.old = {i}});
  }
  for (size_t i = 0; i < plan_.added.size(); ++i) pieces.push_back({.added = i});
  return pieces;
}

std::vector<UpdateWriter::Piece> UpdateWriter::PiecesByPath() const {
  std::vector<Piece> pieces;
  std::vector<size_t> places(plan_.pieces.size());  // in `pieces`, by first piece
  for (uint32_t i = 0; i < plan_.pieces.size(); ++i) {
    if (plan_.pieces[i].IsGone(source_.shards()[i])) continue;
    const uint32_t file = source_.shards()[i].file;
    if (file == i) {
      places[i] = pieces.size();
      pieces.push_back({.old = {i}});
    } else {
      pieces[places[file]].old.push_back(i);
    }
  }
  for (size_t i = 0; i < plan_.added.size(); ++i) {
    if (plan_.added[i].grown) {
      pieces[places[*plan_.added[i].grown]].added = i;
    } else {
      pieces.push_back({.added = i});
    }
  }
  const auto path = [&](const Piece& piece) -> const std::string& {
    return piece.old.empty() ? plan_.added[*piece.added].shard.file.stored_path : plan_.pieces[piece.old.front()].path;
  };
  std::stable_sort(pieces.begin(), pieces.end(),
                   [&](const Piece& a, const Piece& b) { return NaturalLess(path(a), path(b)); });
  return pieces;
}

// Writes the pieces in order; `queue` has the added ones in the same order.
Result<void> UpdateWriter::WritePieces(const std::vector<Piece>& pieces, BlockQueue* queue) {
  for (const Piece& piece : pieces) {
    for (const uint32_t old : piece.old) numbers_[old] = static_cast<uint32_t>(writer_.pieces().size());
    writer_.BeginShard(RowOf(piece));
    ShardFindings findings;
    for (const uint32_t old : piece.old) OFINDEX_TRY(Copy(old, findings));
    if (piece.added) OFINDEX_TRY(TakeScanned(*piece.added, *queue, findings));
    OFINDEX_TRY(writer_.EndShard(std::move(findings)));
  }
  return {};
}

ShardRow UpdateWriter::RowOf(const Piece& piece) const {
  if (piece.old.empty()) {
    const NewPiece& added = plan_.added[*piece.added];
    const ProbedShard& shard = added.shard;
    return {.path = shard.file.stored_path,
            .framing = shard.framing,
            .payload = shard.payload,
            .identity = shard.identity,
            .compression = shard.compression,
            .file = added.grown ? numbers_[*added.grown] : IndexWriter::kOwnFile,
            .begin = shard.range.begin};
  }
  const uint32_t first = piece.old.front();
  ShardRow row = source_.shards()[first];
  row.path = plan_.pieces[first].path;
  row.identity = plan_.pieces[first].identity;
  row.file = row.file == first ? IndexWriter::kOwnFile : numbers_[row.file];
  if (plan_.pieces[first].goes) row.gone = generation_;
  if (plan_.pieces[first].returns) row.gone = 0;
  return row;
}

Result<void> UpdateWriter::Copy(uint32_t old, ShardFindings& findings) {
  OFINDEX_TRY(source_.CopyShard(old, writer_, findings, progress_));
  const std::optional<uint64_t>& cut = plan_.pieces[old].cut_at;
  if (!cut) return {};
  std::erase_if(findings.damage, [&](const DamagedRange& range) { return range.begin >= *cut; });
  findings.stream.checkpoints.clear();  // those of the whole stream are found again
  const ShardRow& row = source_.shards()[old];
  if (row.compression == Compression::kNone) return {};
  std::vector<DamagedRange>& moved = moved_damage_[row.file];
  moved.insert(moved.end(), findings.damage.begin(), findings.damage.end());
  findings.damage.clear();
  return {};
}

Result<void> UpdateWriter::TakeScanned(size_t added, BlockQueue& queue, ShardFindings& findings) {
  const uint64_t before = writer_.pieces().back().records;
  for (;;) {
    OFINDEX_ASSIGN(std::optional<BuiltBlock> block, queue.Take(added));
    if (!block) break;
    OFINDEX_TRY(writer_.AddBlock(std::move(*block)));
  }
  ShardFindings scanned = queue.TakeFindings(added);
  const NewPiece& piece = plan_.added[added];
  if (piece.grown && moved_damage_.contains(*piece.grown)) {
    std::vector<DamagedRange>& moved = moved_damage_[*piece.grown];
    LocateInFile(scanned.stream, piece.shard.identity.size, moved);
    findings.damage.insert(findings.damage.end(), moved.begin(), moved.end());
  }
  findings.damage.insert(findings.damage.end(), scanned.damage.begin(), scanned.damage.end());
  findings.stream = std::move(scanned.stream);
  added_records_[added] = writer_.pieces().back().records - before;
  return {};
}

Result<void> UpdateWriter::AddAbsences() {
  for (AbsenceRow absence : source_.absences()) {
    const PieceFate& fate = plan_.pieces[absence.shard];
    if (!absence.until && fate.returns) absence.until = generation_;
    absence.shard = numbers_[absence.shard];
    if (!fate.dropped) OFINDEX_TRY(writer_.AddAbsence(absence));
  }
  for (uint32_t i = 0; i < plan_.pieces.size(); ++i) {
    if (plan_.pieces[i].goes) OFINDEX_TRY(writer_.AddAbsence({.shard = numbers_[i], .since = generation_}));
  }
  return {};
}

}  // namespace ofindex
