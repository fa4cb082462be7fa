#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>

#include "tests/support/shard_bytes.h"

namespace ofindex {

/// Returns a TFRecord without a correct payload checksum, which a walk never reads.
inline std::string FramedAnyhow(const std::string& payload) {
  return HeaderOf(Framing::kTfRecord, payload.size()) + payload + "sum?";
}

/// Returns TFRecords of 1.25 MiB in all, most of them small; some contain what looks like records.
inline std::string SmallRecords(std::mt19937_64& random) {
  const auto below = [&random](uint64_t n) { return random() % n; };
  std::string shard;
  while (shard.size() < 20 * (64 << 10)) {
    std::string payload(below(300), static_cast<char>(below(256)));
    if (below(50) == 0) payload += RecordBytes(Framing::kTfRecord, "a whole record") + payload;
    if (below(50) == 0) payload += HeaderOf(Framing::kTfRecord, below(100'000)) + payload;
    if (below(500) == 0) payload += std::string(below(200'000), 'x');
    shard += below(2) == 0 ? RecordBytes(Framing::kTfRecord, payload) : FramedAnyhow(payload);
  }
  return shard;
}

/// Damages up to 8 places: bytes changed, removed and inserted, zeros, false headers with a correct checksum.
inline void Damage(std::string& shard, std::mt19937_64& random) {
  const auto below = [&random](uint64_t n) { return random() % n; };
  for (uint64_t n = below(9); n > 0; --n) {
    if (shard.empty()) return;
    const uint64_t at = (below(3) == 0 ? below(19) * (64 << 10) + below(24) : below(shard.size())) % shard.size();
    switch (below(6)) {
      case 0: shard[at] = static_cast<char>(below(256)); break;
      case 1: shard.erase(at, 1 + below(5000)); break;
      case 2: shard.insert(at, std::string(1 + below(5000), static_cast<char>(below(3)))); break;
      case 3: shard.replace(at, std::min(shard.size() - at, below(100'000)), below(100'000), '\0'); break;
      case 4: shard.insert(at, HeaderOf(Framing::kTfRecord, below(2 * shard.size()))); break;
      default: shard.insert(at, HeaderOf(Framing::kTfRecord, below(500))); break;
    }
  }
}

}  // namespace ofindex
