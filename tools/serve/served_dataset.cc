#include "tools/serve/served_dataset.h"

#include <utility>

#include "base/text.h"

namespace ofindex {

Result<std::unique_ptr<ServedDataset>> ServedDataset::Open(const std::string& name, const ServeOptions& options,
                                                           const Progress& progress) {
  SnapshotOptions snapshot{
      .columns = {.cache_bytes = options.chunk_bytes, .threads = options.threads},
      .attachments = options.attachments,
      .progress = &progress,
  };
  OFINDEX_ASSIGN(Dataset dataset, Dataset::Open(name, options.reading, progress, std::move(snapshot)));
  OFINDEX_ASSIGN(std::shared_ptr<ColumnStore> store, dataset.snapshot()->Columns());
  OFINDEX_ASSIGN(std::shared_ptr<SharedCatalog> catalog, dataset.snapshot()->Catalog());
  return std::make_unique<ServedDataset>(std::make_shared<Dataset>(std::move(dataset)), std::move(store),
                                         std::move(catalog), options);
}

ServedDataset::ServedDataset(std::shared_ptr<Dataset> dataset, std::shared_ptr<ColumnStore> store,
                             std::shared_ptr<SharedCatalog> catalog, const ServeOptions& options)
    : options_(options),
      dataset_(std::move(dataset)),
      store_(std::move(store)),
      catalog_(std::move(catalog)),
      charts_(store_, options.code_bytes),
      passing_(store_, catalog_, charts_, options.selection_bytes, options.sql_bytes) {
  if (catalog_ == nullptr) return;
  for (uint32_t piece = 0; piece < dataset_->reader().map().shards(); ++piece) {
    const Result<uint32_t> shard = catalog_->ShardOfPiece(piece);
    shard_numbers_.push_back(shard ? *shard : UINT32_MAX);
  }
  build_ = ToHex(dataset_->snapshot()->index()->identity());
}

}  // namespace ofindex
