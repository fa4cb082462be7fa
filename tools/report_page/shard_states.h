#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "query/dataset.h"

namespace ofindex {

/// Whether a shard is the file that was indexed, as far as its name, size, times and fingerprint tell.
enum class ShardState : uint8_t { kSound, kMissing, kChanged, kUnreadable };

[[nodiscard]] constexpr std::string_view Name(ShardState state) {
  switch (state) {
    case ShardState::kSound: return "as indexed";
    case ShardState::kMissing: return "missing";
    case ShardState::kChanged: return "changed";
    case ShardState::kUnreadable: return "unreadable";
  }
  return "unknown";
}

/// The states of the shards that an index has.
struct ShardStates {
  std::vector<ShardState> states;  ///< as SharedCatalog::shards()
  std::vector<Error> errors;       ///< of those that are not sound, in the same order

  [[nodiscard]] uint64_t Count(ShardState state) const;
};

/// Looks at every shard where `dataset` reads it: like `verify --quick`. Errors: kInterrupted; kIndex.
[[nodiscard]] Result<ShardStates> StatesOfShards(const Dataset& dataset, Progress& progress);

}  // namespace ofindex
