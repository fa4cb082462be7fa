#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace ofindex {

// The simplest fast loops that count the records of TFRecord shards: they follow the lengths, check nothing and keep
// nothing. Threads take whole shards.

/// Reads every byte through a buffer of 256 KiB. Errors: kIo.
[[nodiscard]] Result<uint64_t> BareWalk(const std::vector<std::string>& shards, unsigned threads);

/// Reads only the headers, with one pread each. `chains` threads wait for the disk at once. Errors: kIo.
[[nodiscard]] Result<uint64_t> BareHop(const std::vector<std::string>& shards, unsigned chains);

}  // namespace ofindex
