#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "index/update/known_shard.h"

namespace ofindex {

/// Known shards that no file was found for yet, to be looked up by content. A shard is its index in `known`, which must
/// outlive this object. Not thread-safe.
class FreeShards {
 public:
  explicit FreeShards(const std::vector<KnownShard>& known) : known_(known) {}

  /// Adds a shard, which was not added before, in O(log n).
  void Add(size_t shard);

  /// Removes a shard if it is there.
  void Remove(size_t shard);

  [[nodiscard]] bool AnyOfSize(uint64_t size) const;

  /// Returns the shard with that content that was added first.
  [[nodiscard]] std::optional<size_t> First(uint64_t size, uint64_t fingerprint) const;

 private:
  using Key = std::tuple<uint64_t, uint64_t, size_t>;  // size, fingerprint, index in added_

  [[nodiscard]] Key KeyOf(size_t shard, size_t rank) const;

  const std::vector<KnownShard>& known_;
  std::vector<size_t> added_;
  std::unordered_map<size_t, size_t> ranks_;  // shard -> its index in added_
  std::set<Key> keys_;
};

}  // namespace ofindex
