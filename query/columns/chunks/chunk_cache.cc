#include "query/columns/chunks/chunk_cache.h"

#include <utility>

namespace ofindex {

ChunkCache::SharedChunk ChunkCache::Find(const Key& key) {
  const std::lock_guard lock(mutex_);
  const auto found = places_.find(key);
  if (found == places_.end()) return nullptr;
  chunks_.splice(chunks_.begin(), chunks_, found->second);
  return chunks_.front().chunk;
}

ChunkCache::SharedChunk ChunkCache::Keep(const Key& key, SharedChunk chunk) {
  const uint64_t bytes = chunk->memory();
  const std::lock_guard lock(mutex_);
  if (const auto found = places_.find(key); found != places_.end()) return found->second->chunk;
  if (bytes > max_bytes_) return chunk;
  chunks_.push_front({key, chunk});
  places_.emplace(key, chunks_.begin());
  bytes_ += bytes;
  while (bytes_ > max_bytes_) {
    bytes_ -= chunks_.back().chunk->memory();
    places_.erase(chunks_.back().key);
    chunks_.pop_back();
  }
  return chunk;
}

uint64_t ChunkCache::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

}  // namespace ofindex
