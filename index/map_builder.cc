#include "index/map_builder.h"

#include <cstdlib>
#include <filesystem>
#include <map>
#include <system_error>
#include <utility>
#include <vector>

#include "base/checksum.h"
#include "base/file.h"
#include "base/text.h"
#include "index/catalog_reader.h"
#include "index/draft.h"
#include "index/paths.h"
#include "index/schema.h"
#include "mmap/offset_map_writer.h"

namespace ofindex {
namespace {

namespace fs = std::filesystem;

// The map at `path`, if it is one of the index that `binding` is of.
Result<OffsetMap> OpenBound(const std::string& path, uint64_t binding) {
  OFINDEX_ASSIGN(OffsetMap map, OffsetMap::Open(path));
  if (map.header().index_binding != binding) {
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

// Bad records by block: those of a block are neighbours in ordinal order.
std::vector<uint32_t> TakeBad(const std::vector<BadRow>& bad, size_t& next, const BlockRow& block) {
  std::vector<uint32_t> taken;
  while (next < bad.size() && bad[next].record < block.first_record) ++next;
  for (; next < bad.size() && bad[next].record - block.first_record < block.records; ++next) {
    taken.push_back(static_cast<uint32_t>(bad[next].record - block.first_record) |
                    static_cast<uint32_t>(bad[next].reason) << 16);
  }
  return taken;
}

Result<void> WriteMap(const std::string& index_path, uint64_t binding, const std::string& path,
                      const Progress& progress) {
  OFINDEX_ASSIGN(CatalogReader catalog, CatalogReader::Open(index_path));
  OFINDEX_ASSIGN(OutputFile out, OutputFile::Create(path));
  OFINDEX_ASSIGN(OffsetMapWriter writer, OffsetMapWriter::Begin(std::move(out)));
  OFINDEX_ASSIGN(const std::vector<ShardRow> shards, catalog.Shards());
  OFINDEX_ASSIGN(const std::vector<BadRow> bad, catalog.Bad());
  size_t next_bad = 0;
  OFINDEX_TRY(catalog.ForEachBlock([&](const BlockRow& block) -> Result<void> {
    if (progress.cancel) return Interrupted();
    MapBlock entry;
    entry.begin = block.begin;
    entry.end = block.end;
    entry.records = block.records;
    entry.shard = block.shard;
    return writer.AddBlock(entry, block.offsets, TakeBad(bad, next_bad, block));
  }));
  for (uint32_t number = 0; number < shards.size(); ++number) {
    const ShardRow& shard = shards[number];
    if (shard.compression != Compression::kNone) {
      OFINDEX_TRY(catalog.ForEachCheckpoint(
          number, [&](const CheckpointRow& row) { return writer.AddCheckpoint(row.checkpoint()); }));
    }
    writer.AddShard({.path = shard.path,
                     .framing = shard.framing,
                     .payload = shard.payload,
                     .identity = shard.identity,
                     .first_record = shard.first_record,
                     .records = shard.records,
                     .compression = shard.compression,
                     .inflated_bytes = shard.inflated_bytes});
  }
  MapHeader header;
  header.index_id = catalog.facts().id;
  header.index_binding = binding;
  header.payload_bytes = catalog.facts().payload_bytes;
  header.data_dir_bytes = CommonFolderBytes(shards);
  return writer.Finish(header);
}

Result<OffsetMap> MakeMap(const std::string& index_path, uint64_t binding, const std::string& path,
                          const Progress& progress) {
  OFINDEX_ASSIGN(Draft draft, Draft::Begin(path, Draft::IfLocked::kWait, &progress));
  if (draft.waited()) {
    if (auto map = OpenBound(path, binding)) return map;
  }
  OFINDEX_TRY(WriteMap(index_path, binding, draft.path(), progress));
  OFINDEX_TRY(draft.Publish(Draft::Durability::kDurable));
  return OpenBound(path, binding);
}

}  // namespace

Result<uint64_t> MapBinding(const std::string& index_path) {
  if (!StatFile(index_path)) {
    return Fail(ErrorCode::kNotFound, StrCat(Printable(index_path), ": there is no index"),
                "build it with `ofindex build DATA`");
  }
  OFINDEX_ASSIGN(const File file, File::OpenRead(index_path));
  OFINDEX_ASSIGN(const FileFacts facts, file.Facts());
  std::vector<uint8_t> head(2 * kPageBytes);
  OFINDEX_ASSIGN(const size_t n, file.ReadAt(0, head));
  Xxh3Stream hash;
  hash.Add(facts.size);
  hash.Add(ByteView(head).first(n));
  return hash.Digest64();
}

Result<OffsetMap> OpenMap(const std::string& index_path, const Progress& progress) {
  OFINDEX_ASSIGN(const uint64_t binding, MapBinding(index_path));
  const std::string beside = MapPathOf(index_path);
  if (auto map = OpenBound(beside, binding)) return map;
  auto made = MakeMap(index_path, binding, beside, progress);
  if (made || made.error().code != ErrorCode::kIo) return made;

  const std::string folder = CacheFolder();
  if (folder.empty()) return made;
  const std::string cached = StrCat(folder, "/", ToHex(binding), kIndexSuffix, kMapSuffix);
  if (auto map = OpenBound(cached, binding)) return map;
  std::error_code ignored;  // the draft says it better if there is no folder
  fs::create_directories(folder, ignored);
  return MakeMap(index_path, binding, cached, progress);
}

}  // namespace ofindex
