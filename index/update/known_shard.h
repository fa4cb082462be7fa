#pragma once

#include <cstdint>
#include <string>

#include "base/shard_identity.h"

namespace ofindex {

/// A file of an index: all its pieces that are live, or that went at the same time.
struct KnownShard {
  uint32_t first_piece = 0;  ///< index among the shards of the catalog
  std::string path;          ///< as stored in the index
  ShardIdentity identity;
  uint64_t records = 0;     ///< of all its pieces
  bool gone = false;        ///< kept in the index, but not part of the dataset
  uint64_t gone_since = 0;  ///< the first generation without it
  bool broken = false;      ///< a part of it does not inflate: if it grows, none of its records can be kept
};

}  // namespace ofindex
