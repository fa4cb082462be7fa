#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "mmap/offsets/offset_map.h"
#include "mmap/offsets/offset_map_writer.h"
#include "mmap/offsets/packed_offsets.h"
#include "tests/support/temp_dir.h"

namespace ofindex {

/// A shard of a HoledMap: `records` records of 8 bytes each.
struct Piece {
  uint64_t records;
  bool gone = false;
};

/// Marks a Piece that is gone.
inline constexpr bool kHole = true;

/// A map of shards of which some are gone, and a model of its answers. The shards are not on disk.
class HoledMap {
 public:
  explicit HoledMap(std::vector<Piece> pieces, uint32_t block_records = 7) : pieces_(std::move(pieces)) {
    auto writer = OffsetMapWriter::Begin(OutputFile::Create(path()).value());
    REQUIRE(writer);
    for (uint32_t shard = 0; shard < pieces_.size(); ++shard) {
      if (!pieces_[shard].gone) AddBlocks(*writer, shard, block_records);
      writer->AddShard({.path = "data/" + std::to_string(shard),
                        .framing = Framing::kOfRecord,
                        .identity = {},
                        .first_record = records_,
                        .records = pieces_[shard].records,
                        .gone = pieces_[shard].gone});
      records_ += pieces_[shard].records;
      if (!pieces_[shard].gone) live_ += pieces_[shard].records;
    }
    REQUIRE(writer->Finish({.records = records_}));
  }

  [[nodiscard]] std::string path() const { return dir_ / "map"; }
  [[nodiscard]] uint64_t records() const { return records_; }
  [[nodiscard]] uint64_t live() const { return live_; }

  struct Expected {
    uint32_t shard;
    uint64_t begin;
    bool gone;
  };

  /// Returns the expected answer for a record.
  [[nodiscard]] Expected At(uint64_t ordinal) const {
    uint32_t shard = 0;
    for (; ordinal >= pieces_[shard].records; ++shard) ordinal -= pieces_[shard].records;
    return {.shard = shard, .begin = 8 * ordinal, .gone = pieces_[shard].gone};
  }

  /// Returns whether an answer for a record is right.
  [[nodiscard]] bool Right(uint64_t ordinal, const Result<OffsetMap::Place>& place) const {
    const Expected expected = At(ordinal);
    if (!place) return expected.gone && place.error().code == ErrorCode::kOutOfRange;
    return !expected.gone && place->shard == expected.shard && place->begin == expected.begin &&
           place->end == expected.begin + 8;
  }

  /// Returns the ordinals of all records in small shards, and of those around the edges of large shards, their blocks
  /// and cells.
  [[nodiscard]] std::vector<uint64_t> Ordinals() const {
    std::vector<uint64_t> ordinals;
    uint64_t begin = 0;
    for (const Piece& piece : pieces_) {
      if (piece.records <= 50) AddRange(begin, begin + piece.records, ordinals);
      for (uint64_t at = 0; at < piece.records; at += kBlockRecords) AddAround(begin + at, ordinals);
      begin += piece.records;
      AddAround(begin, ordinals);
    }
    for (uint64_t at = 0; at <= records_; at += kJumpRecords) AddAround(at, ordinals);
    return ordinals;
  }

 private:
  void AddBlocks(OffsetMapWriter& writer, uint32_t shard, uint32_t block_records) const {
    const uint64_t records = pieces_[shard].records;
    for (uint64_t first = 0; first < records; first += block_records) {
      const auto count = static_cast<uint32_t>(std::min<uint64_t>(block_records, records - first));
      std::vector<uint64_t> boundaries(count + 1);
      for (uint64_t i = 0; i <= count; ++i) boundaries[i] = 8 * (first + i);
      const MapBlock block{.first_record = records_ + first,
                           .begin = boundaries.front(),
                           .end = boundaries.back(),
                           .records = count,
                           .shard = shard};
      REQUIRE(writer.AddBlock(block, PackOffsets(boundaries), {}));
    }
  }

  void AddRange(uint64_t begin, uint64_t end, std::vector<uint64_t>& ordinals) const {
    for (uint64_t at = begin; at < std::min(end, records_); ++at) ordinals.push_back(at);
  }
  void AddAround(uint64_t ordinal, std::vector<uint64_t>& ordinals) const {
    AddRange(ordinal < 2 ? 0 : ordinal - 2, ordinal + 2, ordinals);
  }

  TempDir dir_;
  std::vector<Piece> pieces_;
  uint64_t records_ = 0;
  uint64_t live_ = 0;
};

/// Layouts with holes in all places, also over the cells of the jump table, which are 65,536 ordinals each.
struct HoleCase {
  const char* what;
  std::vector<Piece> pieces;
  uint32_t block_records = 7;
};

inline const std::vector<HoleCase>& HoleCases() {
  constexpr uint64_t kCell = kJumpRecords;
  static const std::vector<HoleCase> cases = {
      {"no hole", {{30}, {12}}},
      {"at the beginning", {{9, kHole}, {20}}},
      {"in the middle", {{10}, {5, kHole}, {20}}},
      {"at the end", {{10}, {5, kHole}}},
      {"everywhere", {{4, kHole}, {1}, {3, kHole}, {8}, {1, kHole}, {1}, {2, kHole}}},
      {"of adjacent shards, some without records", {{3}, {0}, {2, kHole}, {0, kHole}, {4, kHole}, {0}, {3}}},
      {"everything", {{10, kHole}}},
      {"everything, in many cells", {{2 * kCell, kHole}, {1, kHole}}},
      {"a whole cell", {{kCell}, {kCell, kHole}, {kCell}}, kBlockRecords},
      {"a cell and a record on both sides", {{kCell - 1}, {kCell + 2, kHole}, {10}}, kBlockRecords},
      {"many cells at the beginning", {{3 * kCell + 5, kHole}, {20}}},
      {"many cells in the middle", {{5}, {3 * kCell, kHole}, {20}, {2 * kCell, kHole}, {1}}},
      {"many cells at the end", {{5}, {3 * kCell, kHole}}},
      {"between large blocks", {{100'000}, {100'000, kHole}, {100'000}}, kBlockRecords},
      {"between many blocks of one cell", {{30'000}, {100, kHole}, {30'000}, {40'000, kHole}, {9}}, 500},
  };
  return cases;
}

}  // namespace ofindex
