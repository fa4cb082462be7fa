#include "query/sampling/block_choice.h"

#include <algorithm>

#include "base/text.h"

namespace ofindex {
namespace {

// Bytes of one read at which a device gives most of its speed: on a disk that turns, 10 ms of seeking against 4 MiB at
// 200 MB/s; on a network file system a round trip of 1 ms against some GB/s; on flash a deep queue does the same for
// far less.
uint64_t GoodRead(const ReadingFacts& facts) {
  switch (facts.storage) {
    case Storage::kRotating:
    case Storage::kNetwork: return uint64_t{4} << 20;
    default: return uint64_t{64} << 10;
  }
}

const char* NameOf(const ReadingFacts& facts) {
  switch (facts.storage) {
    case Storage::kMemory: return "a file system in memory";
    case Storage::kRotating: return "a rotating disk";
    case Storage::kNetwork: return "a network file system";
    default: return "a disk that seeks at once";
  }
}

std::string Bytes(uint64_t bytes) { return FormatBytes(static_cast<double>(bytes)); }

}  // namespace

BlockChoice ChooseBlock(const ReadingFacts& facts, const BlockShape& shape) {
  const uint64_t mean = std::max<uint64_t>(facts.payload_bytes / std::max<uint64_t>(facts.records, 1), 1);
  const std::string where = StrCat("records of ", Bytes(mean), " on ", NameOf(facts));
  const bool fits = facts.payload_bytes <= facts.memory_bytes / 2;
  if (facts.storage == Storage::kMemory || fits) {
    return {1, StrCat("global: ", Bytes(facts.payload_bytes), " stay in ", Bytes(facts.memory_bytes), " of memory")};
  }
  const uint64_t good = GoodRead(facts);
  if (mean >= good) return {1, StrCat("global: ", where, " are as fast one by one")};
  const uint64_t in_flight = shape.lanes * shape.window;
  const uint64_t fitting = facts.memory_bytes / 4 / in_flight / mean;
  const uint64_t mixed = facts.records / (2 * shape.lanes);
  const uint64_t run = std::max<uint64_t>(std::min({(good + mean - 1) / mean, fitting, mixed}), 1);
  if (run == 1) return {1, StrCat("global: ", where, ", of which no two would fit a run in memory, or mix")};
  return {run, StrCat("block ", run, ": ", where, " are read ", Bytes(run * mean), " at a time, ",
                      Bytes(run * mean * in_flight), " in flight")};
}

}  // namespace ofindex
