#include "library/opened_dataset.h"

#include "library/convert.h"
#include "query/sql/open_session.h"

namespace ofindex::v1 {

ofindex::Result<std::shared_ptr<const OpenedDataset>> OpenedDataset::Open(const std::string& name,
                                                                          const OpenOptions& options) {
  ReaderOptions reader;
  reader.root = options.root;
  reader.io = options.map_shards ? IoMode::kAuto : IoMode::kPread;
  reader.allow_bad = options.allow_bad;
  reader.inflated_cache_bytes = options.inflated_cache_bytes;
  OFINDEX_ASSIGN(ofindex::Dataset dataset, ofindex::Dataset::Open(name, reader));
  return std::shared_ptr<const OpenedDataset>(new OpenedDataset(std::move(dataset), options.root));
}

ofindex::Result<DatasetInfo> OpenedDataset::Info() const {
  OFINDEX_ASSIGN(const std::shared_ptr<SharedCatalog> catalog, dataset_.snapshot()->Catalog());
  OFINDEX_ASSIGN(const std::vector<BadRow> bad, catalog->Bad());
  OFINDEX_ASSIGN(const std::vector<DamageRow> damage, catalog->Damage());
  OFINDEX_ASSIGN(const std::vector<SkippedFile> skipped, catalog->Skipped());
  return Public(CatalogRows{dataset_.index_path(), catalog->facts(), catalog->shards(), catalog->gone(),
                            catalog->features(), bad, damage, skipped});
}

ofindex::Result<uint32_t> OpenedDataset::ShardOfPiece(uint32_t piece) const {
  OFINDEX_ASSIGN(const std::shared_ptr<SharedCatalog> catalog, dataset_.snapshot()->Catalog());
  return catalog->ShardOfPiece(piece);
}

ofindex::Result<std::shared_ptr<SharedCatalog>> OpenedDataset::Catalog() const {
  return dataset_.snapshot()->Catalog();
}

ofindex::Result<std::shared_ptr<ColumnStore>> OpenedDataset::Columns() const { return dataset_.snapshot()->Columns(); }

ofindex::Result<std::vector<GenerationRow>> OpenedDataset::Generations() const {
  OFINDEX_ASSIGN(const std::shared_ptr<SharedCatalog> catalog, dataset_.snapshot()->Catalog());
  return catalog->generations();
}

ofindex::Result<ShardHistory> OpenedDataset::History() const {
  OFINDEX_ASSIGN(const std::shared_ptr<SharedCatalog> catalog, dataset_.snapshot()->Catalog());
  return ShardHistory::Of(*catalog);
}

ofindex::Result<std::shared_ptr<const ReaderSource>> OpenedDataset::Source() const {
  std::shared_ptr<const ReaderSource>* newest = source_.load();
  if (newest != nullptr) return *newest;
  // The shared_ptr does not own the reader: this object does, and the source lives no longer than this object.
  const std::shared_ptr<const RecordReader> reader(std::shared_ptr<void>(), &this->reader());
  OFINDEX_ASSIGN(auto made, ReaderSource::Of(reader));
  auto source = std::make_unique<std::shared_ptr<const ReaderSource>>(std::move(made));
  // If another thread has stored a source meanwhile, that one is used.
  if (!source_.compare_exchange_strong(newest, source.get())) return *newest;
  return *source.release();
}

ofindex::Result<ofindex::SqlSession> OpenedDataset::OpenSession() const {
  return ofindex::OpenSession(*dataset_.snapshot());
}

}  // namespace ofindex::v1
