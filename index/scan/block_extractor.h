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
#include "index/scan/derived_values.h"
#include "index/scan/payload_bytes.h"
#include "proto/extract/extractor.h"
#include "proto/extract/field_plan.h"
#include "proto/extract/uniform_run.h"

namespace ofindex {

/// One feature in the records of one block.
struct BlockFeature {
  FeatureRow row;                     ///< its name and counts; the dataset assigns number and columns
  DistinctSketch sketch;              ///< of the values in kValue, kSize or kList
  std::vector<ChunkRow> chunks = {};  ///< by role; the dataset assigns feature and block
};

/// All features in the records of one block.
struct BlockColumns {
  std::vector<BlockFeature> features = {};  ///< by name, in byte order
  std::vector<uint32_t> malformed = {};     ///< records of the block that are not a valid message, ascending
  bool dropped = false;                     ///< a name was dropped: there were too many, or it was too long
  /// names from here on are incomplete in `features`, except those in --columns or --derive
  std::optional<std::string> dropped_from = {};

  [[nodiscard]] uint64_t memory() const;
};

/// Extracts the features of a block's records and encodes them as chunks. The result depends on the block alone
/// (index/columns/column.h). One per thread, reused for successive blocks; not thread-safe.
class BlockExtractor {
 public:
  BlockExtractor(const FieldPlan& plan, const ColumnChoice& choice);

  /// Adds the next record; `record` is its number in the block, ascending.
  void Add(uint32_t record, ByteView payload) {
    if (record != run_begin_ + run_.records()) EndRun(record);
    if (!run_.Add(payload)) return AddOther(record, payload);
    if (run_.records() == 1) FindRunBytes();
    if (!run_bytes_.empty()) CollectRunBytes(record);
    if (run_.full()) EndRun(record + 1);
  }

  /// Adds a payload that is fetched page by page. Returns false if a page could not be read.
  [[nodiscard]] bool Add(uint32_t record, PayloadPages& pages, uint64_t length);

  /// Ends a block of `records` records. Errors: kLimit if a feature has more data in one block than a column can hold
  /// (hint: leave it out of --columns).
  [[nodiscard]] Result<BlockColumns> Finish(uint32_t records);

 private:
  // Collected data of one feature. Memory is kept between blocks.
  struct Collected {
    FeatureRow row = {};   // without the counts that `singles` adds
    uint64_t singles = 0;  // records that have the feature with exactly one value
    bool named = false;
    bool wanted = false;               // becomes a column, if possible
    bool too_long = false;             // a single bytes value is too long for kValue
    bool counted = false;              // some record has the feature, but not exactly one value
    bool listed = false;               // the feature is named, and a record has more than one value: `values` are lists
    RecordList present = {};           // records that have the feature, until `counted` is set
    std::vector<uint32_t> empty = {};  // records without a value, until `listed` is set
    std::vector<std::pair<uint32_t, uint64_t>> sizes = {};  // of single bytes values, by record
    ChunkBuilder values = {};
    ChunkBuilder counts = {};
    std::unique_ptr<DerivedValues> derived = {};  // null if nothing is

    void Begin(const std::string& name, const ColumnChoice& choice);
    void CountSingles();
  };

  // An entry of the run whose byte strings become part of a column, or are what one is derived from.
  struct RunBytes {
    size_t entry;
    Collected* into;
  };

  void AddOther(uint32_t record, ByteView payload);
  void FindRunBytes();
  void CollectRunBytes(uint32_t record);
  void EndRun(uint32_t next);
  void CollectRun(size_t entry);
  [[nodiscard]] bool Take(uint32_t record, Extractor::Outcome outcome, PayloadBytes payload);
  void Derive(uint32_t record, const ExtractedFeature& found, PayloadBytes& payload, DerivedValues& into) const;
  [[nodiscard]] Collected& Of(uint32_t feature) {
    if (feature < collected_.size() && collected_[feature]) return *collected_[feature];
    return Begin(feature);
  }
  Collected& Begin(uint32_t feature);
  void Collect(uint32_t record, const ExtractedFeature& found, Collected& into);
  void CollectNotOne(uint32_t record, const ExtractedFeature& found, Collected& into);
  static void CountAll(Collected& collected);
  void CollectValue(uint32_t record, const ExtractedFeature& found, Collected& into);
  void CollectList(uint32_t record, const ExtractedFeature& found, Collected& into);
  [[nodiscard]] Result<BlockFeature> Encode(Collected& collected, uint32_t records);

  const ColumnChoice choice_;
  Extractor extractor_;
  std::vector<std::unique_ptr<Collected>> collected_;  // by the extractor's feature numbers
  std::vector<std::unique_ptr<Collected>> spare_;      // from earlier blocks
  std::vector<uint32_t> malformed_;
  UniformRun& run_;         // of the extractor; its values are not collected yet, except byte strings
  uint32_t run_begin_ = 0;  // the first record of the run
  std::vector<RunBytes> run_bytes_;
};

}  // namespace ofindex
