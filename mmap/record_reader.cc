#include "mmap/record_reader.h"

#include "base/framing.h"
#include "mmap/reader_state.h"

namespace ofindex {

namespace {

// Returns the end of the ordinals that were given out together with `ordinal`, for records of one shard: those of
// records that the shard got later come after other shards. Returns 0 if the map is damaged.
uint64_t EndOfPiece(const OffsetMap& map, uint64_t ordinal) {
  uint64_t low = 0;
  uint64_t high = map.shards();
  uint64_t end = 0;
  while (low < high) {
    const uint64_t middle = low + (high - low) / 2;
    const auto piece = map.Shard(middle);
    if (!piece) return 0;
    if (piece->first_record <= ordinal) {
      end = piece->first_record + piece->records;
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return end > ordinal ? end : 0;
}

// Returns the path of the first shard that is there; empty if there is none.
std::string FirstPath(const OffsetMap& map) {
  for (uint64_t i = 0; i < map.shards(); ++i) {
    const auto shard = map.Shard(i);
    if (!shard) return {};
    if (!shard->gone) return shard->path;
  }
  return {};
}

}  // namespace

RecordReader::RecordReader(std::shared_ptr<const OffsetMap> map, ShardPaths paths, const ReaderOptions& options)
    : map_(std::move(map)),
      inflated_cache_bytes_(options.inflated_cache_bytes),
      state_(std::make_unique<ReaderState>(*map_, std::move(paths), options)) {}

RecordReader::RecordReader(RecordReader&&) noexcept = default;
RecordReader& RecordReader::operator=(RecordReader&&) noexcept = default;
RecordReader::~RecordReader() = default;

RecordReader RecordReader::Open(std::shared_ptr<const OffsetMap> map, const std::string& folder,
                                const ReaderOptions& options, const std::string& anchor) {
  ShardPaths paths(folder, anchor);
  if (!options.root.empty() && map->shards() != 0) {
    paths = ShardPaths(options.root, FirstPath(*map), map->data_dir_bytes(), anchor);
  }
  return RecordReader(std::move(map), std::move(paths), options);
}

Result<std::string> RecordReader::ShardPath(uint32_t shard) const { return state_->shards.PathOf(shard); }

Result<RecordLocation> RecordReader::Locate(uint64_t ordinal) const { return state_->planner.Locate(ordinal); }

Result<size_t> RecordReader::ReadBytes(uint32_t shard, uint64_t offset, std::span<uint8_t> out) const {
  OFINDEX_ASSIGN(const OpenShard* const open, state_->shards.Get(shard));
  return open->ReadBytes(offset, out);
}

void RecordReader::Prefetch(uint64_t first, uint64_t count) const {
  if (count == 0) return;
  const auto begin = map_->Find(first);
  auto end = map_->Find(first + count - 1);
  if (!begin || (!end && end.error().code != ErrorCode::kOutOfRange)) return;
  if (!end || end->shard != begin->shard) {
    // If the range continues after the shard, that part is prefetched when it is reached.
    const uint64_t end_of_piece = EndOfPiece(*map_, first);
    if (end_of_piece == 0) return;
    end = map_->Find(end_of_piece - 1);
    if (!end || end->shard != begin->shard) return;
  }
  const auto shard = state_->shards.Get(begin->shard);
  if (!shard) return;
  const uint64_t from = begin->begin;
  const uint64_t to = end->end;
  if (to > (*shard)->size() || to < from + HeaderBytes((*shard)->framing())) return;
  const RecordRead all{
      .begin = from, .length = to - from - HeaderBytes((*shard)->framing()), .out = nullptr, .ordinal = first};
  (*shard)->Prefetch(std::span(&all, 1));
}

}  // namespace ofindex
