// Views of records, which copy nothing.

#include <memory>
#include <utility>

#include "base/allocation.h"
#include "base/framing.h"
#include "base/text.h"
#include "mmap/batch/fast_copy.h"
#include "mmap/reader_state.h"
#include "mmap/record_reader.h"

namespace ofindex {

std::optional<ByteView> RecordReader::ViewAtOnce(uint64_t ordinal) const {
  const uint64_t map_state = map_->watch().state();
  HotBlockCache::Record record;
  const FastFind found = ViewOneFast(state_->ready, ordinal, record);
  if (found == FastFind::kFailed) return std::nullopt;
  if (!state_->shards.Opened(record.shard).UnchangedThisTick(CoarseTick())) return std::nullopt;
  if (found == FastFind::kInMap && !map_->watch().Unchanged(map_state)) return std::nullopt;
  return record.payload();
}

Result<ByteView> RecordReader::View(uint64_t ordinal) const {
  if (const auto at_once = ViewAtOnce(ordinal)) return *at_once;
  return ViewChecked(ordinal);
}

// The slow path of View: opens what is not open yet, and returns precise errors.
Result<ByteView> RecordReader::ViewChecked(uint64_t ordinal) const {
  OFINDEX_ASSIGN(const PlannedRead planned, state_->planner.Plan(ordinal));
  const auto& [shard, block, read] = planned;
  if (shard->compressed()) return ViewInflated(read, *shard);
  const ByteView bytes = shard->mapped();
  if (bytes.empty()) {
    return Fail(ErrorCode::kLimit, StrCat("record ", ordinal, " cannot be viewed: its shard is not mapped"),
                "copy the record, or open the dataset with io=mmap");
  }
  OFINDEX_TRY(shard->Read(std::span(&read, 1)));  // checks the header, and reports a changed shard
  state_->planner.MakeReady(planned);
  return bytes.subspan(read.begin + HeaderBytes(shard->framing()), read.length);
}

Result<ByteView> RecordReader::ViewInflated(RecordRead read, const OpenShard& shard) const {
  return WithMemory("a record", [&]() -> Result<ByteView> {
    if (const auto kept = state_->viewed.Find(read.ordinal)) return *kept;
    auto bytes = std::make_unique_for_overwrite<uint8_t[]>(read.length);
    read.out = bytes.get();
    OFINDEX_TRY(shard.Read(std::span(&read, 1)));
    if (const auto kept = state_->viewed.Keep(read.ordinal, std::move(bytes), read.length)) return *kept;
    return Fail(
        ErrorCode::kLimit,
        StrCat("record ", read.ordinal, " cannot be viewed: its shard is compressed, and views of such records ",
               "may take ", FormatBytes(static_cast<double>(inflated_cache_bytes_)), " together"),
        "copy the record, or open the dataset with a larger cache");
  });
}

Result<void> RecordReader::View(std::span<const uint64_t> ordinals, std::span<ByteView> views) const {
  const uint64_t map_state = map_->watch().state();
  const int64_t tick = CoarseTick();
  const auto unchanged = [this, tick](uint32_t shard) { return state_->shards.Opened(shard).UnchangedThisTick(tick); };
  bool in_map = false;
  for (size_t i = 0; i < ordinals.size(); ++i) {
    i += ViewFast(state_->ready, ordinals.subspan(i), views.subspan(i), unchanged, in_map);
    if (i == ordinals.size()) break;
    OFINDEX_ASSIGN(views[i], ViewChecked(ordinals[i]));
  }
  if (!in_map || map_->watch().Unchanged(map_state)) return {};
  for (size_t i = 0; i < ordinals.size(); ++i) {
    OFINDEX_ASSIGN(views[i], ViewChecked(ordinals[i]));
  }
  return {};
}

}  // namespace ofindex
