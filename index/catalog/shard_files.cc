#include "index/catalog/shard_files.h"

#include <algorithm>

#include "base/text.h"

namespace ofindex {

std::vector<ShardRow> ShardFiles(const std::vector<ShardRow>& pieces) {
  std::vector<ShardRow> files;
  std::vector<size_t> places(pieces.size());  // of the shards in `files`, by first piece
  for (size_t i = 0; i < pieces.size(); ++i) {
    const ShardRow& piece = pieces[i];
    if (piece.is_gone()) continue;
    if (piece.file == i) {
      places[i] = files.size();
      files.push_back(piece);
      continue;
    }
    ShardRow& file = files[places[piece.file]];
    file.records += piece.records;
    file.payload_bytes += piece.payload_bytes;
  }
  const auto by_path = [](const ShardRow& a, const ShardRow& b) { return NaturalLess(a.path, b.path); };
  std::sort(files.begin(), files.end(), by_path);
  return files;
}

uint64_t GoneRecords(const std::vector<ShardRow>& pieces) {
  uint64_t records = 0;
  for (const ShardRow& piece : pieces) records += piece.is_gone() ? piece.records : 0;
  return records;
}

}  // namespace ofindex
