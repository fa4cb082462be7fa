#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "index/catalog/shared_catalog.h"
#include "query/columns/column_store.h"
#include "query/dataset.h"
#include "tools/serve/counting/charts.h"
#include "tools/serve/counting/passing_cache.h"

namespace ofindex {

/// How a dataset is served. The limits keep a server of 100 million records with six charts below 1 GiB, besides the
/// page cache; several datasets share them.
struct ServeOptions {
  std::vector<std::string> attachments = {};
  ReaderOptions reading = {.inflated_cache_bytes = uint64_t{32} << 20};
  unsigned threads = 0;  ///< for one question; 0: one per processor
  uint64_t code_bytes = uint64_t{576} << 20;
  uint64_t chunk_bytes = uint64_t{64} << 20;
  uint64_t selection_bytes = uint64_t{32} << 20;  ///< of filters, and as much of the records that pass
  uint64_t sql_bytes = uint64_t{64} << 20;        ///< of one statement

  /// Returns the options of each of `datasets`.
  [[nodiscard]] ServeOptions SharedBy(size_t datasets) const {
    ServeOptions each = *this;
    for (uint64_t* const bytes :
         {&each.reading.inflated_cache_bytes, &each.code_bytes, &each.chunk_bytes, &each.selection_bytes}) {
      *bytes /= std::max<size_t>(datasets, 1);
    }
    return each;
  }
};

/// One dataset that pages look at: one snapshot, even if its index is replaced meanwhile. Thread-safe.
class ServedDataset {
 public:
  /// Opens the index `name`, or that of the data `name`. Errors: those of Dataset::Open and Snapshot::Columns.
  [[nodiscard]] static Result<std::unique_ptr<ServedDataset>> Open(const std::string& name, const ServeOptions& options,
                                                                   const Progress& progress);

  /// `dataset` may be null in measurements, which read no record; then `catalog` is, too.
  ServedDataset(std::shared_ptr<Dataset> dataset, std::shared_ptr<ColumnStore> store,
                std::shared_ptr<SharedCatalog> catalog, const ServeOptions& options);

  [[nodiscard]] const ServeOptions& options() const { return options_; }
  [[nodiscard]] const Dataset& dataset() const { return *dataset_; }
  [[nodiscard]] const std::shared_ptr<ColumnStore>& store() const { return store_; }
  [[nodiscard]] SharedCatalog& catalog() const { return *catalog_; }
  [[nodiscard]] Charts& charts() { return charts_; }
  [[nodiscard]] PassingCache& passing() { return passing_; }

  /// The number of the shard that holds each piece, as `shards` in SQL numbers them.
  [[nodiscard]] const std::vector<uint32_t>& shard_numbers() const { return shard_numbers_; }

  /// Identifies the build of the index: text without quotes or spaces.
  [[nodiscard]] const std::string& build() const { return build_; }

 private:
  ServeOptions options_;
  std::shared_ptr<Dataset> dataset_;
  std::shared_ptr<ColumnStore> store_;
  std::shared_ptr<SharedCatalog> catalog_;
  std::vector<uint32_t> shard_numbers_;
  std::string build_;
  Charts charts_;
  PassingCache passing_;
};

}  // namespace ofindex
