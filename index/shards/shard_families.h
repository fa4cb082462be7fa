#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

#include "base/record.h"

namespace ofindex {

/// What the shards of a set have in common.
struct ShardTraits {
  Framing framing = Framing::kEmpty;
  Compression compression = Compression::kNone;
  PayloadKind payload = PayloadKind::kOpaque;

  friend bool operator==(const ShardTraits&, const ShardTraits&) = default;
};

/// The sound shards of a dataset, grouped by the sets that their names belong to (SetsOf in
/// index/output/shard_names.h). They vouch for files of the same set with unrecognised content. Not thread-safe while
/// shards are added.
class ShardFamilies {
 public:
  /// Adds a sound shard.
  void Add(std::string_view path, const ShardTraits& traits);

  /// Returns the most frequent traits of the sound shards in the most reliable set of `path`; in a tie, those that were
  /// added first. Returns nullopt if `path` belongs to no set with a sound shard. If `path` itself was added, `own` are
  /// its traits, which are not counted.
  [[nodiscard]] std::optional<ShardTraits> Of(std::string_view path, const std::optional<ShardTraits>& own = {}) const;

 private:
  using Key = std::tuple<Framing, Compression, PayloadKind>;
  struct Count {
    uint64_t shards = 0;
    uint64_t first = 0;  // when the first one was added
  };

  std::map<std::string, std::map<Key, Count>, std::less<>> sets_;
  uint64_t added_ = 0;
};

}  // namespace ofindex
