#include "library/snapshot.h"

#include <unistd.h>

#include <utility>

#include "index/catalog/catalog_reader.h"
#include "library/convert.h"

namespace ofindex::v1 {

ofindex::Result<std::shared_ptr<const Snapshot>> Snapshot::Open(const std::string& name, const OpenOptions& options) {
  ReaderOptions reader;
  reader.root = options.root;
  reader.io = options.map_shards ? IoMode::kAuto : IoMode::kPread;
  reader.allow_bad = options.allow_bad;
  reader.inflated_cache_bytes = options.inflated_cache_bytes;
  OFINDEX_ASSIGN(ofindex::Dataset dataset, ofindex::Dataset::Open(name, std::move(reader)));
  return std::shared_ptr<const Snapshot>(new Snapshot(std::move(dataset), options.root));
}

Snapshot::~Snapshot() {
  for (Columns* columns = columns_.load(); columns != nullptr;) {
    Columns* const older = columns->older;
    // Columns of another process are left to it: closing their connections here is not allowed.
    if (columns->process == ::getpid()) delete columns;
    columns = older;
  }
  delete source_.load();
}

ofindex::Result<DatasetInfo> Snapshot::Info() const {
  OFINDEX_ASSIGN(CatalogReader catalog, CatalogReader::Open(dataset_.opened().index));
  OFINDEX_ASSIGN(const std::vector<ShardRow> shards, catalog.Shards());
  OFINDEX_ASSIGN(const std::vector<FeatureRow> features, catalog.Features());
  OFINDEX_ASSIGN(const std::vector<BadRow> bad, catalog.Bad());
  OFINDEX_ASSIGN(const std::vector<DamageRow> damage, catalog.Damage());
  OFINDEX_ASSIGN(const std::vector<SkippedFile> skipped, catalog.Skipped());
  return Public(CatalogRows{dataset_.index_path(), catalog.facts(), shards, features, bad, damage, skipped});
}

ofindex::Result<const Snapshot::Columns*> Snapshot::OpenColumns() const {
  Columns* newest = columns_.load();
  if (newest != nullptr && newest->process == ::getpid()) return newest;
  auto columns = std::make_unique<Columns>();
  columns->process = ::getpid();
  OFINDEX_ASSIGN(CatalogReader catalog, CatalogReader::Open(dataset_.opened().index));
  OFINDEX_ASSIGN(columns->generations, catalog.Generations());
  OFINDEX_ASSIGN(columns->store, ColumnStore::Open(dataset_.opened()));
  columns->older = newest;
  // If another thread was faster, its columns are used, and these are closed.
  if (!columns_.compare_exchange_strong(newest, columns.get())) return newest;
  return columns.release();
}

ofindex::Result<const PayloadSource*> Snapshot::OpenSource() const {
  std::shared_ptr<const ReaderSource>* newest = source_.load();
  if (newest != nullptr) return newest->get();
  // This object owns the reader, and the source.
  const std::shared_ptr<const RecordReader> reader(std::shared_ptr<void>(), &this->reader());
  OFINDEX_ASSIGN(auto made, ReaderSource::Of(reader));
  auto source = std::make_unique<std::shared_ptr<const ReaderSource>>(std::move(made));
  if (!source_.compare_exchange_strong(newest, source.get())) return newest->get();
  return source.release()->get();
}

ofindex::Result<ofindex::SqlSession> Snapshot::OpenSession() const {
  return ofindex::SqlSession::Open(dataset_.opened());
}

}  // namespace ofindex::v1
