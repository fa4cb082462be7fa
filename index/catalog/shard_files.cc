#include "index/catalog/shard_files.h"

#include <algorithm>

#include "base/text.h"

namespace ofindex {

ShardFiles::ShardFiles(const std::vector<ShardRow>& pieces) : numbers(pieces.size(), kGone) {
  for (uint32_t i = 0; i < pieces.size(); ++i) {
    if (pieces[i].file == i && !pieces[i].is_gone()) first_pieces.push_back(i);
  }
  const auto by_path = [&](uint32_t a, uint32_t b) { return NaturalLess(pieces[a].path, pieces[b].path); };
  if (!std::is_sorted(first_pieces.begin(), first_pieces.end(), by_path)) {
    std::stable_sort(first_pieces.begin(), first_pieces.end(), by_path);
  }
  for (const uint32_t piece : first_pieces) {
    numbers[piece] = static_cast<uint32_t>(rows.size());
    rows.push_back(pieces[piece]);
  }
  std::vector<size_t> gone_at(pieces.size());  // of first pieces, in `gone`
  for (uint32_t i = 0; i < pieces.size(); ++i) {
    const ShardRow& piece = pieces[i];
    if (!piece.is_gone()) continue;
    if (piece.file == i) {
      gone_at[i] = gone.size();
      gone.push_back(piece);
    } else {
      gone[gone_at[piece.file]].records += piece.records;
      gone[gone_at[piece.file]].payload_bytes += piece.payload_bytes;
    }
  }
  for (uint32_t i = 0; i < pieces.size(); ++i) {
    const ShardRow& piece = pieces[i];
    if (piece.file == i || piece.is_gone()) continue;
    numbers[i] = numbers[piece.file];
    rows[numbers[i]].records += piece.records;
    rows[numbers[i]].payload_bytes += piece.payload_bytes;
  }
}

uint64_t GoneRecords(const std::vector<ShardRow>& pieces) {
  uint64_t records = 0;
  for (const ShardRow& piece : pieces) records += piece.is_gone() ? piece.records : 0;
  return records;
}

}  // namespace ofindex
