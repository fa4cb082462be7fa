#include "mmap/shard_table.h"

#include <sys/resource.h>

#include <fstream>
#include <utility>

#include "base/allocation.h"
#include "base/text.h"

namespace ofindex {
namespace {

// The kernel's default of vm.max_map_count, used if /proc does not tell.
constexpr uint64_t kDefaultMapCount = 65530;

uint64_t DefaultMaxMaps() {
  uint64_t count = 0;
  std::ifstream file("/proc/sys/vm/max_map_count");
  if (!(file >> count)) count = kDefaultMapCount;
  return count / 2;
}

uint64_t DefaultMaxDescriptors() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  return limit.rlim_cur / 4;
}

}  // namespace

ShardTable::ShardTable(const OffsetMap& map, ShardPaths paths, const ReaderOptions& options)
    : map_(map),
      paths_(std::move(paths)),
      io_(options.io),
      rooted_(!options.root.empty()),
      max_maps_(options.max_maps == 0 ? DefaultMaxMaps() : options.max_maps),
      max_descriptors_(options.max_descriptors == 0 ? DefaultMaxDescriptors() : options.max_descriptors),
      cache_(options.inflated_cache_bytes),
      allocated_(WithMemory("the table of shards", [&]() -> Result<void> {
        open_ = std::make_unique<std::atomic<OpenShard*>[]>(map.shards());
        count_ = map.shards();
        return {};
      })) {}

ShardTable::~ShardTable() {
  for (uint64_t i = 0; i < count_; ++i) delete open_[i].load(std::memory_order_acquire);
}

Result<std::string> ShardTable::PathOf(uint32_t shard) const {
  OFINDEX_ASSIGN(const MapShard entry, map_.Shard(shard));
  return paths_.PathOf(entry.path);
}

// Two threads may open the same shard at once; the second discards what it opened. There is no lock, so a fork in
// between leaves nothing locked in the child.
Result<const OpenShard*> ShardTable::OpenNow(uint32_t shard) const {
  OFINDEX_ASSIGN(const MapShard entry, map_.Shard(shard));
  if (entry.framing != Framing::kTfRecord && entry.framing != Framing::kOfRecord) {
    return Fail(ErrorCode::kIndex, StrCat("shard ", shard, " has an unknown framing"));
  }
  std::string path = paths_.PathOf(entry.path);
  const uint64_t others = opened_.load(std::memory_order_relaxed);
  OpenShard::Options options{.io = io_,
                             .keep_descriptor = others < max_descriptors_,
                             .may_map = others < max_maps_,
                             .place = paths_.PlaceOf(entry.path)};
  OFINDEX_ASSIGN(auto inflation, InflationOf(shard, entry));
  auto outcome =
      OpenShard::Open(std::move(path), entry.framing, entry.identity, std::move(options), std::move(inflation));
  if (!outcome && outcome.error().code == ErrorCode::kStale && rooted_) {
    outcome.error().hint = "check that --root names the folder of the copy, or leave it out";
  }
  OFINDEX_ASSIGN(std::unique_ptr<OpenShard> opened, std::move(outcome));
  OpenShard* expected = nullptr;
  OpenShard* const own = opened.get();
  if (!open_[shard].compare_exchange_strong(expected, own, std::memory_order_acq_rel)) return expected;
  static_cast<void>(opened.release());
  opened_.fetch_add(1, std::memory_order_relaxed);
  return own;
}

// Returns nullopt if the shard is not compressed.
Result<std::optional<OpenShard::Inflation>> ShardTable::InflationOf(uint32_t shard, const MapShard& entry) const {
  if (entry.compression == Compression::kNone) return std::nullopt;
  if (!ParseCompression(Name(entry.compression))) {
    return Fail(ErrorCode::kIndex, StrCat("shard ", shard, " has an unknown compression"));
  }
  OpenShard::Inflation inflation{.facts = {.compression = entry.compression,
                                           .file_bytes = entry.identity.size,
                                           .inflated_bytes = entry.inflated_bytes},
                                 .checkpoints = nullptr,
                                 .cache = &cache_,
                                 .shard = shard};
  if (!inflation.facts.plausible()) {
    return Fail(ErrorCode::kIndex, StrCat("shard ", shard, " cannot inflate to the size in the map"));
  }
  OFINDEX_ASSIGN(inflation.checkpoints, map_.CheckpointsOf(shard));
  return inflation;
}

}  // namespace ofindex
