#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "index/columns/column.h"
#include "index/database/sqlite.h"

namespace ofindex {

struct BlockRow;
struct TableShape;

/// Reads the blocks of an index one by one, in order, each with the chunks of its columns. Checks each row's own
/// checksum, but not those of the tables: see CatalogReader::CheckRows. Moves, does not copy; not thread-safe. Made by
/// CatalogReader::BlocksAfter.
class BlockCursor {
 public:
  /// The rows read last, in their tables; zeros: none yet.
  struct Position {
    uint64_t block = 0;
    uint64_t chunk = 0;
  };

  BlockCursor(sqlite::Statement blocks, sqlite::Statement chunks, const TableShape& block_shape,
              const TableShape& chunk_shape, std::string path, Position position)
      : blocks_(std::move(blocks)),
        chunks_(std::move(chunks)),
        block_shape_(&block_shape),
        chunk_shape_(&chunk_shape),
        path_(std::move(path)),
        position_(position) {}

  /// Sets `row` and `chunks` to the next block, whose chunks have the features and roles of the index. Returns false
  /// after the last block. Errors: kIndex.
  [[nodiscard]] Result<bool> Next(BlockRow& row, std::vector<ChunkRow>& chunks);

  /// Returns the position after the block that was read last.
  [[nodiscard]] const Position& position() const { return position_; }

 private:
  [[nodiscard]] Result<bool> StepChunk();

  sqlite::Statement blocks_;
  sqlite::Statement chunks_;
  const TableShape* block_shape_;
  const TableShape* chunk_shape_;
  std::string path_;
  Position position_;
  bool has_chunk_ = false;  // `chunks_` is at a row that was not taken yet
  bool no_chunks_ = false;  // all were taken
};

// For the cells of all tables.
[[nodiscard]] inline std::vector<uint8_t> Copied(ByteView bytes) { return {bytes.begin(), bytes.end()}; }

/// Returns false for values above 32 bits and negative ones.
[[nodiscard]] inline bool Fits32(int64_t value) { return value >= 0 && value <= std::numeric_limits<uint32_t>::max(); }

/// Returns a row of the table `block` without offsets and hashes; without records if a number is out of range.
[[nodiscard]] BlockRow BlockMetadataOf(const sqlite::Statement& row);

}  // namespace ofindex
