#include "query/crossfilter/block_sample.h"

#include <algorithm>

namespace ofindex {

BlockSample SampleOf(const std::vector<BlockMetadata>& blocks, const std::vector<bool>& decided, uint64_t max_records) {
  BlockSample sample;
  uint64_t undecided = 0;
  for (size_t b = 0; b < blocks.size(); ++b) {
    if (decided[b]) continue;
    ++undecided;
    sample.in_question += blocks[b].records;
  }
  uint64_t wanted = undecided;
  if (sample.in_question > max_records) {
    const double share = static_cast<double>(max_records) / static_cast<double>(sample.in_question);
    wanted = std::clamp<uint64_t>(static_cast<uint64_t>(static_cast<double>(undecided) * share), 1, undecided);
  }
  // The undecided blocks are divided into `wanted` runs of equal length; the one in the middle of each is read.
  uint64_t chosen = 0;
  uint64_t i = 0;
  for (size_t b = 0; b < blocks.size(); ++b) {
    if (decided[b]) {
      sample.pieces.push_back({.block = b, .sampled = false});
      continue;
    }
    if (chosen < wanted && i++ == (2 * chosen + 1) * undecided / (2 * wanted)) {
      sample.pieces.push_back({.block = b, .sampled = true});
      sample.read += blocks[b].records;
      ++chosen;
    }
  }
  return sample;
}

}  // namespace ofindex
