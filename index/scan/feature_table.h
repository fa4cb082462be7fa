#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "index/columns/column.h"
#include "index/columns/column_choice.h"
#include "index/columns/distinct_sketch.h"
#include "index/scan/block_skimmer.h"

namespace ofindex {

/// The features of a dataset, put together from those of its blocks by sums, minima and unions alone: so that blocks,
/// and datasets, may be put together in any order. Of too many names (kMostFeatures, kMostNamesBytes) the first in byte
/// order stay, and those that are named in --columns; what is known of them is whole. Not thread-safe.
class FeatureTable {
 public:
  explicit FeatureTable(ColumnChoice choice) : choice_(std::move(choice)) {}

  /// Drops `name` and all behind it, also those that come later: some block has dropped them.
  void Cut(std::string name);

  /// Adds what one block says of one feature. Returns the feature's number, given in the order in which features come;
  /// nullopt where there are too many names before it.
  [[nodiscard]] std::optional<uint32_t> Add(const BlockFeature& feature);

  /// A feature with its columns decided and named; `row.feature` is its final number: without a gap, in the order of
  /// the numbers that were given.
  struct Decided {
    uint32_t given;
    FeatureRow row;
  };

  /// All features, by number, and how many of them have no column because there are too many.
  [[nodiscard]] std::vector<Decided> Decide(uint64_t& without_column);

  /// Numbers that were given to features that are no longer here.
  [[nodiscard]] const std::vector<uint32_t>& dropped() const { return dropped_; }

 private:
  struct Entry {
    FeatureRow row = {};
    DistinctSketch sketch = {};
    uint8_t types = 0;  // bit 1 << ColumnValue::Type of what the zone maps of its values show
  };

  using Entries = std::map<std::string, Entry, std::less<>>;

  [[nodiscard]] bool IsCut(const std::string& name) const { return cut_ && name >= *cut_ && !choice_.Named(name); }
  void Prune();

  ColumnChoice choice_;
  Entries entries_;
  size_t others_ = 0;               // entries that are not named in --columns
  uint64_t others_bytes_ = 0;       // of their names
  std::optional<std::string> cut_;  // names from here on are dropped
  uint32_t given_ = 0;
  std::vector<uint32_t> dropped_;
};

}  // namespace ofindex
