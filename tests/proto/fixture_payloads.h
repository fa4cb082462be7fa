#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/record.h"
#include "tests/support/files.h"

namespace ofindex {

/// Returns the payloads of a sound, uncompressed shard. Skips checksums.
inline std::vector<std::string> PayloadsOf(const std::string& shard, Framing framing) {
  const std::string bytes = ReadFile(shard);
  const uint64_t header = framing == Framing::kTfRecord ? 12 : 8;
  const uint64_t footer = framing == Framing::kTfRecord ? 4 : 0;
  std::vector<std::string> payloads;
  for (uint64_t at = 0; Fits(at, header + footer, bytes.size());) {
    const uint64_t length = LoadLe64(AsBytes(bytes).data() + at);
    if (!Fits(at + header, length, bytes.size())) break;
    payloads.push_back(bytes.substr(at + header, length));
    at += header + length + footer;
  }
  return payloads;
}

}  // namespace ofindex
