#include "index/scan/large_shards.h"

#include <algorithm>

#include "base/file.h"

namespace ofindex {
namespace {

constexpr uint64_t kLargeShardBytes = uint64_t{1} << 20;
constexpr size_t kLooks = 8;

}  // namespace

bool IsLarge(const ProbedShard& shard) {
  return shard.compression == Compression::kNone && shard.mean_record_bytes >= kLargeRecordBytes &&
         shard.identity.size >= kLargeShardBytes;
}

bool LargeOnesAreCached(const std::vector<ProbedShard>& shards, size_t large) {
  const size_t step = std::max<size_t>(large / kLooks, 1);
  size_t met = 0;
  for (const ProbedShard& shard : shards) {
    if (!IsLarge(shard) || met++ % step != 0) continue;
    const auto file = File::OpenRead(shard.file.path);
    if (!file || !file->IsCachedAt(shard.identity.size / 2)) return false;
  }
  return true;
}

}  // namespace ofindex
