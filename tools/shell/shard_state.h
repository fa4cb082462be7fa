#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/shard_identity.h"

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

/// Looks at the file at `path` as `verify --quick` does, and sets `state`. Errors: what is wrong with it, unless it is
/// kSound.
[[nodiscard]] Result<void> LookAtShard(const std::string& path, const ShardIdentity& identity, ShardState& state);

}  // namespace ofindex
