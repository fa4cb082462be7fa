#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "index/chunks/chunk.h"
#include "index/columns/column.h"
#include "index/columns/column_choice.h"
#include "index/columns/distinct_sketch.h"
#include "index/columns/record_list.h"
#include "proto/skim/field_plan.h"
#include "proto/skim/skimmer.h"

namespace ofindex {

/// What the records of one block say of one feature.
struct BlockFeature {
  FeatureRow row;                     ///< its name and counts; number and columns are for the dataset to give
  DistinctSketch sketch;              ///< of the values in kValue, kSize or kList
  std::vector<ChunkRow> chunks = {};  ///< by role; their features and blocks are for the dataset to give
};

/// What the records of one block say of all features.
struct BlockColumns {
  std::vector<BlockFeature> features = {};  ///< by name, in byte order
  std::vector<uint32_t> malformed = {};     ///< records of the block that are no message, ascending
  bool dropped = false;                     ///< a name was dropped: there were too many, or it was too long
  std::optional<std::string> cut = {};      ///< no name from here on is whole in `features`, but for those in --columns

  [[nodiscard]] uint64_t memory() const;
};

/// Skims the records of a block, and makes chunks of what it finds. Everything that it says follows from the block
/// alone (index/columns/column.h). One per thread, used for block after block; not thread-safe.
class BlockSkimmer {
 public:
  BlockSkimmer(const FieldPlan& plan, const ColumnChoice& choice);

  /// Takes the next record, `record` of the block, in ascending order.
  void Add(uint32_t record, ByteView payload) { Take(record, skimmer_.Skim(payload)); }

  /// The same for a payload that is fetched piece by piece. Returns false if a piece could not be read.
  [[nodiscard]] bool Add(uint32_t record, PayloadPages& pages, uint64_t length);

  /// Ends a block of `records` records. Errors: kLimit  a feature has more in one block than a column can keep (hint:
  /// leave it out of --columns).
  [[nodiscard]] Result<BlockColumns> Finish(uint32_t records);

 private:
  // What is collected of one feature. Memory is kept from block to block.
  struct Collected {
    FeatureRow row = {};   // but for what `singles` will add
    uint64_t singles = 0;  // records that have the feature with exactly one value
    bool named = false;
    bool wanted = false;               // becomes a column, if it can
    bool too_long = false;             // a single bytes value is too long for kValue
    bool counted = false;              // a record that has the feature has not exactly one value
    bool listed = false;               // the feature is named, and a record has more than one value: `values` are lists
    RecordList present = {};           // records that have the feature, until the first one that is counted
    std::vector<uint32_t> empty = {};  // records without a value, until the first one that is listed
    std::vector<std::pair<uint32_t, uint64_t>> sizes = {};  // of single bytes values, by record
    ChunkBuilder values = {};
    ChunkBuilder counts = {};

    void Begin(const std::string& name, const ColumnChoice& choice);
    void CountSingles();
  };

  void Take(uint32_t record, Skimmer::Outcome outcome);
  [[nodiscard]] Collected& Of(uint32_t feature) {
    if (feature < collected_.size() && collected_[feature]) return *collected_[feature];
    return Begin(feature);
  }
  Collected& Begin(uint32_t feature);
  void Collect(uint32_t record, const SkimmedFeature& found, Collected& into);
  void CollectNotOne(uint32_t record, const SkimmedFeature& found, Collected& into);
  static void CountAll(Collected& collected);
  void CollectValue(uint32_t record, const SkimmedFeature& found, Collected& into);
  void CollectList(uint32_t record, const SkimmedFeature& found, Collected& into);
  [[nodiscard]] Result<BlockFeature> Encode(Collected& collected, uint32_t records);

  const ColumnChoice choice_;
  Skimmer skimmer_;
  std::vector<std::unique_ptr<Collected>> collected_;  // by the skimmer's numbers
  std::vector<std::unique_ptr<Collected>> spare_;      // of blocks before
  std::vector<uint32_t> malformed_;
};

}  // namespace ofindex
