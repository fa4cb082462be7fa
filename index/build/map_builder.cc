#include "index/build/map_builder.h"

#include <cstdlib>
#include <filesystem>
#include <map>
#include <system_error>
#include <utility>
#include <vector>

#include "base/checksum.h"
#include "base/file.h"
#include "base/text.h"
#include "index/catalog/catalog_reader.h"
#include "index/catalog/paths.h"
#include "index/database/schema.h"
#include "index/output/atomic_file.h"
#include "index/shards/output_rule.h"
#include "mmap/offsets/offset_map_writer.h"

namespace ofindex {
namespace {

namespace fs = std::filesystem;

// Attempts before giving up on an index that keeps being replaced.
constexpr int kAttempts = 16;

// Opens the map at `path`, if it belongs to `index`.
Result<OffsetMap> OpenBound(const std::string& path, const IndexFile& index) {
  const bool beside = path == MapPathOf(index.place());
  OFINDEX_ASSIGN(OffsetMap map, OffsetMap::Open(path, beside ? MapPathOf(index.path()) : path));
  if (map.header().index_binding != index.identity()) {
    return Fail(ErrorCode::kIndex, StrCat(Printable(path), ": a map of another index"));
  }
  return map;
}

std::string CacheFolder() {
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache == '/')
    return StrCat(cache, "/ofindex");
  if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/') return StrCat(home, "/.cache/ofindex");
  return {};
}

// Returns the path of the map of `index` if the folder of the index cannot be written to; empty if there is none.
std::string CachedMapPath(const IndexFile& index) {
  const std::string folder = CacheFolder();
  return folder.empty() ? folder : StrCat(folder, "/", ToHex(index.identity()), kIndexSuffix, kMapSuffix);
}

// Takes the bad records of `block`, which are adjacent in `bad`, since `bad` is in ordinal order.
std::vector<uint32_t> TakeBad(const std::vector<BadRow>& bad, size_t& next, const BlockRow& block) {
  std::vector<uint32_t> taken;
  while (next < bad.size() && bad[next].record < block.first_record) ++next;
  for (; next < bad.size() && bad[next].record - block.first_record < block.records; ++next) {
    taken.push_back(static_cast<uint32_t>(bad[next].record - block.first_record) |
                    static_cast<uint32_t>(bad[next].reason) << 16);
  }
  return taken;
}

Result<void> WriteMap(const std::shared_ptr<const IndexFile>& index, OutputFile out, const Progress& progress) {
  OFINDEX_ASSIGN(CatalogReader catalog, CatalogReader::Open(index));
  OFINDEX_ASSIGN(OffsetMapWriter writer, OffsetMapWriter::Begin(std::move(out)));
  OFINDEX_ASSIGN(const std::vector<ShardRow> shards, catalog.Pieces());
  OFINDEX_ASSIGN(const std::vector<BadRow> bad, catalog.Bad());
  size_t next_bad = 0;
  const auto add_block = [&](const BlockRow& block) -> Result<void> {
    if (progress.cancel) return Interrupted();
    if (shards[block.shard].is_gone()) return {};
    MapBlock entry;
    entry.first_record = block.first_record;
    entry.begin = block.begin;
    entry.end = block.end;
    entry.records = block.records;
    entry.shard = shards[block.shard].file;  // is open once, however often it has grown
    return writer.AddBlock(entry, block.offsets, TakeBad(bad, next_bad, block));
  };
  OFINDEX_TRY(catalog.ForEachBlock(add_block, CatalogReader::Which::kAll));
  size_t next_shard = 0;
  const auto add_shards_before = [&](size_t end) {
    for (; next_shard < end; ++next_shard) writer.AddShard(MapShardOf(shards[next_shard]));
  };
  const auto add_checkpoint = [&](const CheckpointRow& row) -> Result<void> {
    if (shards[row.shard].is_gone()) return {};
    add_shards_before(row.shard);
    return writer.AddCheckpoint(row.checkpoint());
  };
  OFINDEX_TRY(catalog.ForEachCheckpoint(std::nullopt, add_checkpoint, CatalogReader::Which::kAll));
  add_shards_before(shards.size());
  MapHeader header;
  header.index_id = catalog.facts().id;
  header.index_binding = index->identity();
  header.records = catalog.facts().ordinals;
  header.payload_bytes = catalog.facts().payload_bytes;
  header.data_dir_bytes = CommonFolderBytes(shards);
  return writer.Finish(header);
}

// Builds a map only for an index that still has its name: the map next to it belongs to the index with that name.
Result<OffsetMap> MakeMap(const std::shared_ptr<const IndexFile>& index, const std::string& path,
                          const Progress& progress) {
  // A file that is not a map is left in place; the map is then written elsewhere.
  if (const auto checked = CheckOutput(path, OutputKind::kMap, /*force=*/true, {}); !checked) {
    return Fail(ErrorCode::kIo, checked.error().message, checked.error().hint);
  }
  OFINDEX_ASSIGN(AtomicFile temporary, AtomicFile::Begin(path, AtomicFile::IfLocked::kWait, &progress));
  if (temporary.waited()) {
    if (auto map = OpenBound(path, *index)) return map;
  }
  if (index->Replaced()) return ReplacedIndex(index->path());
  OFINDEX_ASSIGN(OutputFile out, temporary.Open());
  OFINDEX_TRY(WriteMap(index, std::move(out), progress));
  if (index->Replaced()) return ReplacedIndex(index->path());
  OFINDEX_TRY(temporary.Publish(AtomicFile::Durability::kDurable));
  return OpenBound(path, *index);
}

}  // namespace

Result<void> WriteMapOf(const std::string& index, const AtomicFile& map, const Progress& progress) {
  OFINDEX_ASSIGN(const std::shared_ptr<const IndexFile> file, IndexFile::Open(index));
  OFINDEX_ASSIGN(OutputFile out, map.Open());
  return WriteMap(file, std::move(out), progress);
}

Result<OffsetMap> OpenMap(const std::shared_ptr<const IndexFile>& index, const Progress& progress) {
  const std::string beside = MapPathOf(index->place());
  if (auto map = OpenBound(beside, *index)) return map;
  auto made = MakeMap(index, beside, progress);
  if (made || made.error().code != ErrorCode::kIo) return made;

  const std::string cached = CachedMapPath(*index);
  if (cached.empty()) return made;
  if (auto map = OpenBound(cached, *index)) return map;
  std::error_code ignored;  // AtomicFile::Begin reports a missing folder better
  fs::create_directories(FolderOf(cached), ignored);
  return MakeMap(index, cached, progress);
}

Result<MapDamage> FindMapDamage(const IndexFile& index, const Progress& progress) {
  for (const std::string& path : {MapPathOf(index.place()), CachedMapPath(index)}) {
    const auto map = OpenBound(path, index);
    if (!map) continue;  // it is built when needed
    const Result<void> sound = map->CheckAll(progress);
    if (sound) return MapDamage{};
    if (sound.error().code != ErrorCode::kIndex) return tl::unexpected(sound.error());
    return MapDamage{.path = path, .what = sound.error().message};
  }
  return MapDamage{};
}

Result<std::string> RepairMap(const std::shared_ptr<const IndexFile>& index, const Progress& progress) {
  OFINDEX_ASSIGN(MapDamage damage, FindMapDamage(*index, progress));
  if (damage.what.empty()) return std::string();
  const auto made = MakeMap(index, damage.path, progress);
  if (made) return std::move(damage.what);
  Error error = made.error();
  error.message = StrCat(damage.what, "; it cannot be rebuilt: ", error.message);
  return tl::unexpected(std::move(error));
}

Result<OpenedIndex> OpenIndex(const std::string& path, const Progress& progress) {
  for (int attempt = 1;; ++attempt) {
    OFINDEX_ASSIGN(std::shared_ptr<const IndexFile> index, IndexFile::Open(path));
    Result<OffsetMap> map = OpenMap(index, progress);
    if (map) return OpenedIndex{std::move(index), std::make_shared<const OffsetMap>(std::move(*map))};
    const bool replaced = map.error().code == ErrorCode::kStale || index->Replaced();
    if (!replaced || attempt == kAttempts) return tl::unexpected(std::move(map).error());
  }
}

}  // namespace ofindex
