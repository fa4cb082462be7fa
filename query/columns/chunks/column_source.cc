#include "query/columns/chunks/column_source.h"

#include <numeric>
#include <utility>

#include "mmap/offsets/offset_map.h"

namespace ofindex {
namespace {

class IndexColumns final : public ColumnSource {
 public:
  IndexColumns(OpenedIndex opened, ColumnCatalog catalog, const Progress* progress)
      : opened_(std::move(opened)), catalog_(std::move(catalog)), progress_(progress) {}

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
    if (!opened_.map) {
      const Progress unwatched;
      OFINDEX_ASSIGN(OffsetMap map, OpenMap(opened_.index, progress_ != nullptr ? *progress_ : unwatched));
      opened_.map = std::make_shared<const OffsetMap>(std::move(map));
    }
    const BlockHead& head = blocks()[block];
    if (!Fits(head.first_record, head.records, opened_.map->records())) {
      return Fail(ErrorCode::kIndex, opened_.index->path() + ": the map has fewer records than the index",
                  "rebuild the index with `ofindex build --force`");
    }
    std::vector<uint64_t> ordinals(head.records);
    std::iota(ordinals.begin(), ordinals.end(), head.first_record);
    std::vector<OffsetMap::Place> found(head.records);
    OFINDEX_TRY(opened_.map->Find(ordinals, found));
    std::vector<PackedOffsets::Extent> places;
    places.reserve(head.records);
    for (const OffsetMap::Place& place : found) places.push_back({place.begin, place.end});
    return places;
  }

 private:
  OpenedIndex opened_;
  ColumnCatalog catalog_;
  const Progress* progress_;
};

}  // namespace

Result<std::unique_ptr<ColumnSource>> OpenColumnSource(OpenedIndex opened, const Progress* progress) {
  OFINDEX_ASSIGN(ColumnCatalog catalog, ColumnCatalog::Open(opened.index));
  return std::make_unique<IndexColumns>(std::move(opened), std::move(catalog), progress);
}

}  // namespace ofindex
