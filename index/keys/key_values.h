#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "index/catalog/shared_catalog.h"
#include "index/columns/column.h"
#include "index/keys/entry_sorter.h"
#include "mmap/record_reader.h"

namespace ofindex {

/// Succeeds if a key by feature `name` can be made of records that have `features`, as far as these tell. Errors:
/// kUsage if no record has the feature, or if its values are floats.
[[nodiscard]] Result<void> CheckKeyFeature(const std::string& name, const DatasetFacts& facts,
                                           const std::vector<FeatureRow>& features);

/// Collects the values of one feature in all records of an index. A block whose column holds all values is read from
/// the index; otherwise the feature is read from the records themselves. Bad records have no values.
class KeyValues {
 public:
  /// Counts over all records.
  struct Counts {
    uint64_t without = 0;  ///< records without a value
    bool has_bytes = false;
    bool has_integers = false;
  };

  /// `reader` reads the records of `catalog`, and may return bad ones. Errors: kUsage if no record has the feature, if
  /// its values are floats, or if the payloads are messages that only a descriptor explains; kIndex.
  [[nodiscard]] static Result<KeyValues> Open(std::shared_ptr<SharedCatalog> catalog, const RecordReader& reader,
                                              const std::string& name);

  /// Hands an entry for each value to `sorter`. Call it once. Errors: kUsage if a value is a float; kIndex, kStale,
  /// kIo, kInterrupted.
  [[nodiscard]] Result<Counts> Collect(EntrySorter& sorter, unsigned threads, Progress& progress);

 private:
  class Worker;

  // What one block has of the feature.
  enum class From : uint8_t { kNothing, kValues, kLists, kRecords };

  KeyValues(std::shared_ptr<SharedCatalog> catalog, const RecordReader& reader, std::string name)
      : catalog_(std::move(catalog)), reader_(reader), name_(std::move(name)) {}

  [[nodiscard]] Result<void> FindColumn();

  std::shared_ptr<SharedCatalog> catalog_;
  const RecordReader& reader_;
  std::string name_;
  uint32_t feature_ = 0;
  std::vector<BlockMetadata> blocks_;
  std::vector<From> from_;     // by block
  std::vector<uint64_t> bad_;  // ordinals, ascending
};

}  // namespace ofindex
