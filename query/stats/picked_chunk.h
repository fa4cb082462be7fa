#pragma once

#include <cstdint>
#include <memory>
#include <numeric>
#include <vector>

#include "index/chunks/chunk.h"

namespace ofindex {

/// A chunk, and how often each of its records counts. A value type. Repeats are counted, never copied: a record that
/// counts a million times takes no more memory or time than one that counts once.
struct PickedChunk {
  std::shared_ptr<const Chunk> chunk;
  std::vector<uint64_t> times = {};  ///< by record; if empty, each counts once

  [[nodiscard]] uint64_t TimesOf(uint32_t record) const { return times.empty() ? 1 : times[record]; }

  [[nodiscard]] uint64_t rows() const {
    return times.empty() ? chunk->records() : std::accumulate(times.begin(), times.end(), uint64_t{0});
  }
};

}  // namespace ofindex
