#pragma once

#include <cstdint>
#include <vector>

#include "index/catalog/shared_catalog.h"

namespace ofindex {

/// The blocks from which an answer is computed.
struct BlockSample {
  struct Piece {
    uint64_t block;
    bool sampled;  ///< stands for blocks that are not read, too
  };
  std::vector<Piece> pieces;  ///< ascending
  uint64_t read = 0;          ///< records of the sampled blocks
  uint64_t in_question = 0;   ///< records of the blocks for which the sampled ones stand; as many if all are read
};

/// Chooses all blocks that are `decided`, whose answer is known without reading them, and of the others so many, evenly
/// spread, that about `max_records` records are read, but at least one block. The choice depends on the arguments
/// alone.
[[nodiscard]] BlockSample SampleOf(const std::vector<BlockMetadata>& blocks, const std::vector<bool>& decided,
                                   uint64_t max_records);

}  // namespace ofindex
