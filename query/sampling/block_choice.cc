#include "query/sampling/block_choice.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "mmap/inflate/span_cache.h"

namespace ofindex {
namespace {

// Bytes of one read at which a device reaches most of its speed: for a rotating disk, 10 ms of seeking against 4 MiB at
// 200 MB/s; for a network file system, a round trip of 1 ms against some GB/s; for flash with a deep queue, far less.
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
    default: return "a disk without seek time";
  }
}

std::string Bytes(uint64_t bytes) { return FormatBytes(static_cast<double>(bytes)); }

BlockChoice Global(std::string reason) { return {.shape = {}, .reason = StrCat("global: ", reason)}; }

// Lanes of an epoch of compressed shards: the spans of each lane's runs in flight should stay in the cache.
constexpr uint64_t kCompressedLanes = 4;

BlockChoice ChooseCompressed(const ReadingFacts& facts, std::optional<uint64_t> lanes, uint64_t mean) {
  BlockShape shape{.lanes = lanes.value_or(kCompressedLanes)};
  const std::string where = StrCat("compressed shards with spans of ", Bytes(facts.span_bytes));
  if (facts.inflated_bytes <= facts.cache_bytes) {
    return Global(StrCat(where, ", all of which stay in the cache of ", Bytes(facts.cache_bytes)));
  }
  const uint64_t in_flight = shape.lanes * shape.window;
  // A run begins and ends inside spans, which vary in size: in the cache, it may take up to two spans more than its own
  // length. A cache that holds nearly all runs in flight is no better than none, since it drops the spans that are
  // needed next.
  const uint64_t beside = 2 * (facts.span_bytes + SpanCache::kOverheadBytes);
  const uint64_t share = facts.cache_bytes / in_flight;
  const uint64_t bytes = share > beside + facts.span_bytes ? share - beside : facts.span_bytes;
  const uint64_t mixed = facts.records / (2 * shape.lanes);
  shape.run = std::max<uint64_t>(std::min((bytes + mean - 1) / mean, mixed), 1);
  if (shape.run == 1) return Global(StrCat(where, ", and records as large as a span"));
  std::string reason = StrCat("block ", shape.run, " in ", shape.lanes, " lanes: ", where, ", read ",
                              Bytes(shape.run * mean), " at a time");
  const uint64_t needed = in_flight * (shape.run * mean + beside);
  if (needed > facts.cache_bytes) reason += StrCat("; a cache of ", Bytes(needed), " would hold what is in flight");
  return {shape, std::move(reason)};
}

}  // namespace

BlockChoice ChooseBlock(const ReadingFacts& facts, std::optional<uint64_t> lanes) {
  const uint64_t mean = std::max<uint64_t>(facts.payload_bytes / std::max<uint64_t>(facts.records, 1), 1);
  if (facts.span_bytes != 0) return ChooseCompressed(facts, lanes, mean);
  BlockShape shape;
  shape.lanes = lanes.value_or(shape.lanes);
  const std::string where = StrCat("records of ", Bytes(mean), " on ", NameOf(facts));
  const bool fits = facts.payload_bytes <= facts.memory_bytes / 2;
  if (facts.storage == Storage::kMemory || fits) {
    return Global(StrCat(Bytes(facts.payload_bytes), " stay in ", Bytes(facts.memory_bytes), " of memory"));
  }
  const uint64_t good = GoodRead(facts);
  if (mean >= good) return Global(StrCat(where, ", which are read as fast one by one"));
  const uint64_t in_flight = shape.lanes * shape.window;
  const uint64_t fitting = facts.memory_bytes / 4 / in_flight / mean;
  const uint64_t mixed = facts.records / (2 * shape.lanes);
  shape.run = std::max<uint64_t>(std::min({(good + mean - 1) / mean, fitting, mixed}), 1);
  if (shape.run == 1) return Global(StrCat(where, ": runs of two would not fit in memory, or would not mix"));
  return {shape, StrCat("block ", shape.run, ": ", where, " are read ", Bytes(shape.run * mean), " at a time, ",
                        Bytes(shape.run * mean * in_flight), " in flight")};
}

}  // namespace ofindex
