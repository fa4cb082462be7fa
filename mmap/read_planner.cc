#include "mmap/read_planner.h"

#include <string>
#include <string_view>

#include "base/framing.h"
#include "base/text.h"

namespace ofindex {
namespace {

std::string_view ReasonName(uint32_t reason) { return Name(static_cast<BadReason>(reason)); }

}  // namespace

Result<RecordLocation> ReadPlanner::Locate(uint64_t ordinal) const {
  if (ordinal >= map_.records()) {
    return Fail(ErrorCode::kOutOfRange,
                StrCat("record ", ordinal, " is not in the dataset; expected less than ", map_.records()));
  }
  OFINDEX_ASSIGN(const OffsetMap::Place place, map_.Find(ordinal));
  OFINDEX_ASSIGN(const MapShard entry, map_.Shard(place.shard));
  const uint64_t framing = FramingBytes(entry.framing);
  const uint64_t bytes = entry.compression == Compression::kNone ? entry.identity.size : entry.inflated_bytes;
  if (place.end > bytes || place.end - place.begin < framing) {
    return Fail(ErrorCode::kIndex, StrCat("record ", ordinal, " lies outside its shard"));
  }
  return RecordLocation{.shard = place.shard, .offset = place.begin, .length = place.end - place.begin - framing};
}

Result<PlannedRead> ReadPlanner::Plan(uint64_t ordinal) const {
  if (ordinal >= map_.records()) return tl::unexpected(Locate(ordinal).error());
  OFINDEX_ASSIGN(const OffsetMap::Place place, map_.Find(ordinal));
  return PlanAt(ordinal, place, nullptr);
}

Result<PlannedRead> ReadPlanner::PlanAt(uint64_t ordinal, const OffsetMap::Place& place, const OpenShard* shard) const {
  if (place.bad_reason != 0 && !allow_bad_) {
    OFINDEX_ASSIGN(const std::string path, shards_.PathOf(place.shard));
    return Fail(ErrorCode::kDamage,
                StrCat(Printable(path), "@", place.begin, ": record ", ordinal,
                       " is marked bad: ", ReasonName(place.bad_reason)),
                "`ofindex info` lists all bad records");
  }
  if (shard == nullptr) {
    OFINDEX_ASSIGN(shard, shards_.Get(place.shard));
  }
  const uint64_t framing = FramingBytes(shard->framing());
  if (place.end > shard->size() || place.end - place.begin < framing) {
    return Fail(ErrorCode::kIndex, StrCat("record ", ordinal, " lies outside its shard"));
  }
  const RecordRead read{
      .begin = place.begin, .length = place.end - place.begin - framing, .out = nullptr, .ordinal = ordinal};
  return PlannedRead{.shard = shard, .block = place.block, .read = read};
}

}  // namespace ofindex
