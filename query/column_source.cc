#include "query/column_source.h"

#include <utility>

#include "index/map_builder.h"
#include "mmap/offset_map.h"

namespace ofindex {
namespace {

class IndexColumns final : public ColumnSource {
 public:
  IndexColumns(std::string path, ColumnCatalog catalog, const Progress* progress)
      : path_(std::move(path)), catalog_(std::move(catalog)), progress_(progress) {}

  const std::vector<ShardRow>& shards() const override { return catalog_.shards(); }
  const std::vector<BlockHead>& blocks() const override { return catalog_.blocks(); }
  const std::vector<FeatureRow>& features() const override { return catalog_.features(); }

  Result<std::vector<std::optional<ChunkRow>>> Heads(uint32_t feature, ColumnRole role) override {
    return catalog_.Heads(feature, role);
  }

  Result<std::vector<uint8_t>> Data(uint32_t feature, ColumnRole role, uint64_t block) override {
    return catalog_.Data(feature, role, block);
  }

  Result<std::vector<PackedOffsets::Extent>> Places(uint64_t block) override {
    if (!map_) {
      OFINDEX_ASSIGN(OffsetMap map, progress_ != nullptr ? OpenMap(path_, *progress_) : OpenMap(path_));
      map_ = std::move(map);
    }
    const BlockHead& head = blocks()[block];
    if (!Fits(head.first_record, head.records, map_->records())) {
      return Fail(ErrorCode::kIndex, path_ + ": the map has fewer records than the index",
                  "build the index anew with `ofindex build --force`");
    }
    std::vector<PackedOffsets::Extent> places;
    places.reserve(head.records);
    for (uint64_t i = 0; i < head.records; ++i) {
      OFINDEX_ASSIGN(const OffsetMap::Place place, map_->Find(head.first_record + i));
      places.push_back({place.begin, place.end});
    }
    return places;
  }

 private:
  std::string path_;
  ColumnCatalog catalog_;
  const Progress* progress_;
  std::optional<OffsetMap> map_;
};

}  // namespace

Result<std::unique_ptr<ColumnSource>> OpenColumnSource(const std::string& index_path, const Progress* progress) {
  OFINDEX_ASSIGN(ColumnCatalog catalog, ColumnCatalog::Open(index_path));
  return std::make_unique<IndexColumns>(index_path, std::move(catalog), progress);
}

}  // namespace ofindex
