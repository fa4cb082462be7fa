#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "index/chunks/chunk.h"
#include "query/filter/selection.h"

namespace ofindex {

/// The groups of the selected records of one block, or of some that are joined.
struct BlockGroups {
  static constexpr uint32_t kNoRecord = ~uint32_t{0};

  std::vector<uint64_t> selected = {};                  ///< a bit per record; empty if all are selected
  std::vector<uint32_t> number = {};                    ///< group of each selected record; unspecified for others
  std::vector<uint32_t> first = {};                     ///< first record of each group; kNoRecord if it has none
  std::vector<uint32_t> rows = {};                      ///< number of records of each group
  std::vector<uint32_t> order = {};                     ///< the groups that have records, by their first records
  std::vector<std::shared_ptr<const Chunk>> keys = {};  ///< by key

  /// Returns the value of key `i` of `group`, that of its first record; valid as long as the chunks.
  [[nodiscard]] Chunk::Value Key(uint32_t group, size_t i) const { return keys[i]->At(first[group]); }
};

/// Groups the records of a block in `selected`, at least one of `records`, by the values of `keys`, which are no lists.
[[nodiscard]] BlockGroups GroupBlock(std::vector<std::shared_ptr<const Chunk>> keys, uint32_t records,
                                     BlockSelection selected);

/// Divides the groups of a block further, by the values of `chunk`: the result has no keys.
[[nodiscard]] BlockGroups Divide(const BlockGroups& groups, const Chunk& chunk);

}  // namespace ofindex
