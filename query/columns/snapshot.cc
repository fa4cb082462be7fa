#include "query/columns/snapshot.h"

#include <unistd.h>

#include <mutex>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "index/finding/resolve_index.h"
#include "mmap/offsets/offset_map.h"
#include "query/columns/attached_columns.h"
#include "query/columns/chunks/column_source.h"

namespace ofindex {

namespace {

/// The map of an open index, opened when it is first asked for. Thread-safe.
class LazyMap {
 public:
  LazyMap(std::shared_ptr<const IndexFile> index, std::shared_ptr<const OffsetMap> map, const Progress* progress)
      : index_(std::move(index)), map_(std::move(map)), progress_(progress) {}

  [[nodiscard]] const std::string& index_path() const { return index_->path(); }

  Result<std::shared_ptr<const OffsetMap>> Get() {
    const std::lock_guard lock(mutex_);
    if (!map_) {
      const Progress unwatched;
      OFINDEX_ASSIGN(OffsetMap map, OpenMap(index_, progress_ != nullptr ? *progress_ : unwatched));
      map_ = std::make_shared<const OffsetMap>(std::move(map));
    }
    return map_;
  }

 private:
  std::shared_ptr<const IndexFile> index_;
  std::mutex mutex_;
  std::shared_ptr<const OffsetMap> map_;
  const Progress* progress_;
};

/// The columns of an open index. Only Places() needs the map.
class IndexColumns final : public ColumnSource {
 public:
  IndexColumns(std::shared_ptr<SharedCatalog> catalog, std::vector<BlockMetadata> blocks, std::shared_ptr<LazyMap> map)
      : catalog_(std::move(catalog)), blocks_(std::move(blocks)), map_(std::move(map)) {}

  const std::vector<ShardRow>& shards() const override { return catalog_->shards(); }
  const std::vector<BlockMetadata>& blocks() const override { return blocks_; }
  const std::vector<FeatureRow>& features() const override { return catalog_->features(); }
  uint64_t ordinals() const override { return catalog_->facts().ordinals; }

  Result<std::vector<std::optional<ChunkRow>>> ChunkMetadata(uint32_t feature, ColumnRole role) override {
    return catalog_->ChunkMetadata(feature, role, blocks_);
  }

  Result<std::vector<uint8_t>> Data(uint32_t feature, ColumnRole role, uint64_t block) override {
    return catalog_->Data(feature, role, blocks_[block].number);
  }

  bool has_hashes() const override { return catalog_->facts().checked == Checked::kPayloads; }

  Result<std::vector<uint8_t>> HashData(uint64_t block) override { return catalog_->HashData(blocks_[block].number); }

  Result<std::vector<PackedOffsets::Extent>> Places(uint64_t block) override {
    OFINDEX_ASSIGN(const std::shared_ptr<const OffsetMap> map, map_->Get());
    const BlockMetadata& metadata = blocks_[block];
    if (!Fits(metadata.first_record, metadata.records, map->records())) {
      return Fail(ErrorCode::kIndex, map_->index_path() + ": the map has fewer records than the index",
                  "rebuild the index with `ofindex build --force`");
    }
    std::vector<uint64_t> ordinals(metadata.records);
    std::iota(ordinals.begin(), ordinals.end(), metadata.first_record);
    std::vector<OffsetMap::Place> found(metadata.records);
    OFINDEX_TRY(map->Find(ordinals, found));
    std::vector<PackedOffsets::Extent> places;
    places.reserve(metadata.records);
    for (const OffsetMap::Place& place : found) places.push_back({place.begin, place.end});
    return places;
  }

 private:
  std::shared_ptr<SharedCatalog> catalog_;
  std::vector<BlockMetadata> blocks_;
  std::shared_ptr<LazyMap> map_;
};

Result<std::shared_ptr<SharedCatalog>> CatalogIn(std::shared_ptr<SharedCatalog>& kept,
                                                 const std::shared_ptr<const IndexFile>& index) {
  if (!kept) {
    OFINDEX_ASSIGN(kept, SharedCatalog::Open(index));
  }
  return kept;
}

}  // namespace

/// The parts that one process has opened.
struct Snapshot::Parts {
  explicit Parts(std::shared_ptr<LazyMap> lazy_map) : map(std::move(lazy_map)) {}

  const pid_t process = ::getpid();
  const std::shared_ptr<LazyMap> map;
  std::mutex mutex;  // guards the members below
  std::shared_ptr<SharedCatalog> catalog;
  std::shared_ptr<ColumnStore> columns;
};

Result<std::shared_ptr<const Snapshot>> Snapshot::Open(const std::string& name, SnapshotOptions options) {
  OFINDEX_ASSIGN(const std::string path, ResolveIndex(name));
  OFINDEX_ASSIGN(std::shared_ptr<const IndexFile> index, IndexFile::Open(path));
  return std::make_shared<const Snapshot>(OpenedIndex{.index = std::move(index), .map = nullptr}, std::move(options));
}

Result<std::shared_ptr<const Snapshot>> Snapshot::OpenWithMap(const std::string& name, const Progress& progress,
                                                              SnapshotOptions options) {
  OFINDEX_ASSIGN(const std::string path, ResolveIndex(name));
  OFINDEX_ASSIGN(OpenedIndex opened, OpenIndex(path, progress));
  return std::make_shared<const Snapshot>(std::move(opened), std::move(options));
}

Snapshot::Snapshot(OpenedIndex opened, SnapshotOptions options)
    : index_(std::move(opened.index)),
      map_(std::move(opened.map)),
      options_(std::move(options)),
      parts_(new Parts(std::make_shared<LazyMap>(index_, map_, options_.progress))) {
  const std::string folder = WorkingFolder();  // which may change
  for (std::string& path : options_.attachments) path = PathFrom(folder, path);
}

// A child neither uses nor closes the connections of its parent.
Snapshot::~Snapshot() {
  Parts* const parts = parts_;
  if (parts->process == ::getpid()) delete parts;
}

// In a forked child, the first call replaces the parts of the parent. Those are never freed: their mutexes may be
// locked by threads that do not exist in the child.
Snapshot::Parts& Snapshot::PartsOfThisProcess() const {
  Parts* current = parts_;
  if (current->process == ::getpid()) return *current;
  auto own = std::make_unique<Parts>(std::make_shared<LazyMap>(index_, map_, options_.progress));
  if (parts_.compare_exchange_strong(current, own.get())) return *own.release();
  return *current;
}

Result<std::shared_ptr<const OffsetMap>> Snapshot::Map() const { return PartsOfThisProcess().map->Get(); }

Result<std::shared_ptr<SharedCatalog>> Snapshot::Catalog() const {
  Parts& parts = PartsOfThisProcess();
  const std::lock_guard lock(parts.mutex);
  return CatalogIn(parts.catalog, index_);
}

void Snapshot::CloseColumns() const {
  Parts& parts = PartsOfThisProcess();
  const std::lock_guard lock(parts.mutex);
  parts.columns.reset();
}

Result<std::shared_ptr<ColumnStore>> Snapshot::Columns() const {
  Parts& parts = PartsOfThisProcess();
  const std::lock_guard lock(parts.mutex);
  if (!parts.columns) {
    OFINDEX_ASSIGN(std::shared_ptr<SharedCatalog> catalog, CatalogIn(parts.catalog, index_));
    OFINDEX_ASSIGN(std::vector<BlockMetadata> blocks, catalog->Blocks());
    OFINDEX_ASSIGN(AttachmentFiles files, OpenAttachments(*index_, *catalog, options_.attachments));
    auto own = std::make_unique<IndexColumns>(std::move(catalog), std::move(blocks), parts.map);
    OFINDEX_ASSIGN(std::unique_ptr<ColumnSource> source, AttachedColumns::Over(std::move(own), std::move(files)));
    parts.columns = std::make_shared<ColumnStore>(std::move(source), options_.columns);
  }
  return parts.columns;
}

}  // namespace ofindex
