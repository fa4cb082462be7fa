#include "index/shards/shard_families.h"

#include "index/output/shard_names.h"

namespace ofindex {

void ShardFamilies::Add(std::string_view path, const ShardTraits& traits) {
  ++added_;
  for (std::string& set : SetsOf(path)) {
    Count& count = sets_[std::move(set)][{traits.framing, traits.compression, traits.payload}];
    if (count.shards++ == 0) count.first = added_;
  }
}

std::optional<ShardTraits> ShardFamilies::Of(std::string_view path, const std::optional<ShardTraits>& own) const {
  for (const std::string& set : SetsOf(path)) {
    const auto family = sets_.find(set);
    if (family == sets_.end()) continue;
    std::optional<ShardTraits> best;
    Count best_count;
    for (const auto& [key, count] : family->second) {
      const ShardTraits traits{std::get<0>(key), std::get<1>(key), std::get<2>(key)};
      const uint64_t shards = count.shards - (own == traits ? 1 : 0);
      const bool better = shards > best_count.shards || (shards == best_count.shards && count.first < best_count.first);
      if (shards == 0 || !better) continue;
      best = traits;
      best_count = {shards, count.first};
    }
    if (best) return best;
  }
  return std::nullopt;
}

}  // namespace ofindex
