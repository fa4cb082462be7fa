#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "index/chunks/chunk.h"

namespace ofindex {

/// Decoded chunks, up to a limit in bytes; the least recently used ones are dropped. A dropped chunk stays valid for
/// those who hold it. Thread-safe; must not cross a fork.
class ChunkCache {
 public:
  using SharedChunk = std::shared_ptr<const Chunk>;

  /// A column, by Column::number(), and a block.
  struct Key {
    uint64_t column;
    uint64_t block;
    friend bool operator==(const Key&, const Key&) = default;
  };

  explicit ChunkCache(uint64_t max_bytes) : max_bytes_(max_bytes) {}

  /// Returns the chunk of `key`, or null if it is not in the cache.
  [[nodiscard]] SharedChunk Find(const Key& key);

  /// Keeps `chunk`, unless it is larger than the limit, and returns it; or returns the chunk that another thread has
  /// kept under `key` meanwhile.
  [[nodiscard]] SharedChunk Keep(const Key& key, SharedChunk chunk);

  [[nodiscard]] uint64_t bytes() const;

 private:
  struct HashKey {
    size_t operator()(const Key& key) const { return key.column * 0x9e3779b97f4a7c15U + key.block; }
  };
  struct Kept {
    Key key;
    SharedChunk chunk;
  };

  const uint64_t max_bytes_;

  mutable std::mutex mutex_;  // guards the members below
  std::list<Kept> chunks_;    // most recently used first
  std::unordered_map<Key, std::list<Kept>::iterator, HashKey> places_;
  uint64_t bytes_ = 0;
};

}  // namespace ofindex
