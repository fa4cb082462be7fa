// Copies of one record.

#include "base/allocation.h"
#include "base/text.h"
#include "mmap/batch/fast_copy.h"
#include "mmap/reader_state.h"
#include "mmap/record_reader.h"

namespace ofindex {

bool RecordReader::TryCopyTo(uint64_t ordinal, const GiveRoom& room) const {
  const uint64_t map_state = map_->watch().state();
  HotBlockCache::Record record;
  const FastFind found = FindOneFast(state_->ready, ordinal, record);
  if (found == FastFind::kFailed) return false;
  uint8_t* const out = room(record.length);
  if (out == nullptr) return false;
  const FastCopy copied = CopyOneFast(record, out);
  if (copied == FastCopy::kFailed) return false;
  if (found == FastFind::kInMap && !map_->watch().Unchanged(map_state)) return false;
  if (copied == FastCopy::kComplete) return state_->shards.Opened(record.shard).UnchangedThisTick(CoarseTick());
  const Result<bool> unchanged = state_->shards.Opened(record.shard).Unchanged();
  return unchanged && *unchanged;
}

Result<void> RecordReader::CopyTo(uint64_t ordinal, const GiveRoom& room) const {
  if (TryCopyTo(ordinal, room)) return {};
  return WithMemory("a record", [&] { return CopyOneSlow(ordinal, room); });
}

Result<void> RecordReader::CopyOneSlow(uint64_t ordinal, const GiveRoom& room) const {
  OFINDEX_ASSIGN(PlannedRead planned, state_->planner.Plan(ordinal));
  state_->planner.MakeReady(planned);
  RecordRead& read = planned.read;
  read.out = room(read.length);
  if (read.out == nullptr && read.length != 0) {
    return Fail(ErrorCode::kLimit, StrCat("out of memory for record ", ordinal, ", of ", read.length, " bytes"));
  }
  return planned.shard->Read(std::span(&read, 1));
}

Result<void> RecordReader::Copy(uint64_t ordinal, std::vector<uint8_t>& out) const {
  return WithMemory("a record", [&] {
    return CopyOneSlow(ordinal, [&out](uint64_t length) {
      out.resize(length);
      return out.data();
    });
  });
}

Result<LentRecord> RecordReader::Lend(uint64_t ordinal, std::vector<uint8_t>& room) const {
  OFINDEX_ASSIGN(const PlannedRead planned, state_->planner.Plan(ordinal));
  if (planned.read.length > kLentRecordBytes) {
    OFINDEX_ASSIGN(std::optional<OpenShard::Lent> lent, planned.shard->Lend(planned.read));
    if (lent) return LentRecord(*planned.shard, *std::move(lent));
  }
  OFINDEX_TRY(Copy(ordinal, room));
  return LentRecord(room);
}

}  // namespace ofindex
