#include "index/update/free_shards.h"

namespace ofindex {

void FreeShards::Add(size_t shard) {
  const size_t rank = added_.size();
  added_.push_back(shard);
  ranks_.emplace(shard, rank);
  keys_.insert(KeyOf(shard, rank));
}

void FreeShards::Remove(size_t shard) {
  const auto rank = ranks_.find(shard);
  if (rank != ranks_.end()) keys_.erase(KeyOf(shard, rank->second));
}

bool FreeShards::AnyOfSize(uint64_t size) const {
  const auto first = keys_.lower_bound({size, 0, 0});
  return first != keys_.end() && std::get<0>(*first) == size;
}

std::optional<size_t> FreeShards::First(uint64_t size, uint64_t fingerprint) const {
  const auto first = keys_.lower_bound({size, fingerprint, 0});
  if (first == keys_.end() || std::get<0>(*first) != size || std::get<1>(*first) != fingerprint) return std::nullopt;
  return added_[std::get<2>(*first)];
}

FreeShards::Key FreeShards::KeyOf(size_t shard, size_t rank) const {
  return {known_[shard].identity.size, known_[shard].identity.fingerprint, rank};
}

}  // namespace ofindex
