#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "index/columns/column.h"
#include "index/columns/column_choice.h"
#include "index/columns/distinct_sketch.h"
#include "index/scan/block_extractor.h"

namespace ofindex {

/// The features of a dataset, merged from those of its blocks by sums, minima and unions only, so that blocks and
/// datasets can be merged in any order. If there are too many names (kMaxFeatures, kMaxNamesBytes), the first in byte
/// order are kept, as are those named in --columns or --derive; the data of the kept features is complete. Not
/// thread-safe.
class FeatureTable {
 public:
  explicit FeatureTable(ColumnChoice choice) : choice_(std::move(choice)), kept_(choice_.Kept()) {}

  /// Drops `name` and all names after it, including those added later: some block has dropped them.
  void DropFrom(std::string name);

  /// Drops all names after the last of `features`, not counting those named by the user: an index with these features
  /// has dropped some.
  void DropAfter(const std::vector<FeatureRow>& features);

  /// Adds one feature of one block. Returns the feature's number, assigned in order of arrival; nullopt if too many
  /// names sort before it.
  [[nodiscard]] std::optional<uint32_t> Add(const BlockFeature& feature);

  /// Adds a feature of an index whose blocks are merged, with its sketch, and returns its number as Add does. AddTotals
  /// and AddTypes add what its blocks have: the totals of one of its shards, and the types in one of its chunks.
  [[nodiscard]] std::optional<uint32_t> AddRow(const FeatureRow& row);
  void AddTotals(const std::string& name, const FeatureRow& totals);
  void AddTypes(const std::string& name, const ChunkRow& chunk);

  /// Marks a feature as one that blocks have, though none of them counts: their shard is missing. A feature that no
  /// block has is left out.
  void Keep(const std::string& name);

  /// Lets features that were added by AddRow keep the SQL names that they have in `features`.
  void KeepNames(const std::vector<FeatureRow>& features);

  /// A feature whose columns are chosen and named. `row.feature` is its final number: numbers have no gaps and keep the
  /// order of the numbers assigned by Add.
  struct Decided {
    uint32_t given;
    FeatureRow row;
  };

  /// Returns all features, by number, and sets `without_column` to the number of those that have no column because
  /// there are too many. `keeps_sketches`: also those of features without a column, which may get one in a merge.
  [[nodiscard]] std::vector<Decided> Decide(uint64_t& without_column, bool keeps_sketches = false);

  /// Returns the name from which on names were dropped.
  [[nodiscard]] const std::optional<std::string>& dropped_from() const { return dropped_from_; }

  /// Returns the numbers that Add assigned to features dropped since.
  [[nodiscard]] const std::vector<uint32_t>& dropped() const { return dropped_; }

 private:
  struct Entry {
    FeatureRow row = {};
    DistinctSketch sketch = {};
    uint8_t types = 0;  // bit 1 << ColumnValue::Type for each type in the zone maps of its values
    bool used = false;  // by a block
  };

  using Entries = std::map<std::string, Entry, std::less<>>;

  [[nodiscard]] bool IsDropped(const std::string& name) const {
    return dropped_from_ && name >= *dropped_from_ && !IsNamed(name);
  }
  [[nodiscard]] bool IsNamed(const std::string& name) const {
    return std::binary_search(kept_.begin(), kept_.end(), name);
  }
  Entry* EntryOf(const std::string& name);
  static void AddTypes(const ChunkRow& chunk, Entry& entry);
  void Prune();
  void RemoveUnused();

  ColumnChoice choice_;
  std::vector<std::string> kept_;  // named in --columns or --derive
  Entries entries_;
  size_t others_ = 0;                        // entries that are not in `kept_`
  uint64_t others_bytes_ = 0;                // bytes of their names
  std::optional<std::string> dropped_from_;  // names from here on are dropped
  uint32_t given_ = 0;
  std::vector<uint32_t> dropped_;
};

}  // namespace ofindex
