#include "mmap/batch/warm_copy.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <optional>

#include "mmap/files/fault_guard.h"
#include "mmap/files/prefetch.h"

namespace ofindex {
namespace {

// How many records ahead of its bytes a record's packed offsets are prefetched. Anything from 4 to 8 works.
constexpr size_t kAimAhead = 4;

// Large enough for all records in flight.
constexpr size_t kRing = 32;
static_assert(kPrefetchAhead + kAimAhead < kRing);

// Number of views whose packed offsets are prefetched before the first is located.
constexpr size_t kViewedAtOnce = 32;

// The records of a batch between Aim() and the copy: their packed offsets, then their bytes, are being prefetched. Owns
// nothing, so a fault may abandon it at any point.
class Approach {
 public:
  Approach(const ReadyBlocks& blocks, std::span<const uint64_t> ordinals) : blocks_(blocks), ordinals_(ordinals) {}

  // Does nothing for records past the last, and succeeds.
  bool Aim(size_t i) {
    if (i >= ordinals_.size()) return true;
    ReadyBlocks::Aim& aim = aims_[i % kRing];
    if (!blocks_.TakeAim(ordinals_[i], aim)) return false;
    __builtin_prefetch(aim.slot.word);
    return true;
  }

  bool Fetch(size_t i) {
    if (i >= ordinals_.size()) return true;
    ReadyBlocks::Record& record = records_[i % kRing];
    if (!ReadyBlocks::Find(aims_[i % kRing], record)) return false;
    PrefetchRecord(record.framed, record.header + record.length);
    return true;
  }

  const ReadyBlocks::Record& operator[](size_t i) const { return records_[i % kRing]; }

 private:
  const ReadyBlocks& blocks_;
  const std::span<const uint64_t> ordinals_;
  std::array<ReadyBlocks::Aim, kRing> aims_;
  std::array<ReadyBlocks::Record, kRing> records_;
};

// Runs inside the guard: may stop at any load.
bool CopyAll(Approach& on_way, const CopyTarget& target) {
  const size_t n = target.ends.size();
  for (size_t i = 0; i < kPrefetchAhead + kAimAhead; ++i) {
    if (!on_way.Aim(i)) return false;
  }
  for (size_t i = 0; i < kPrefetchAhead; ++i) {
    if (!on_way.Fetch(i)) return false;
  }
  uint64_t end = 0;
  for (size_t i = 0; i < n; ++i) {
    if (!on_way.Aim(i + kPrefetchAhead + kAimAhead) || !on_way.Fetch(i + kPrefetchAhead)) return false;
    const ReadyBlocks::Record& record = on_way[i];
    if (record.length > target.bytes.size() - end || LoadLe64(record.framed) != record.length) return false;
    if (record.length != 0) std::memcpy(target.bytes.data() + end, record.framed + record.header, record.length);
    end += record.length;
    target.ends[i] = end;
    target.shards_read[record.shard / 64] |= uint64_t{1} << (record.shard % 64);
  }
  return true;
}

}  // namespace

bool CopyWarm(const ReadyBlocks& blocks, std::span<const uint64_t> ordinals, const CopyTarget& target) {
  Approach on_way(blocks, ordinals);
  volatile bool copied = false;
  const bool whole = FaultGuard::Run([&] { copied = CopyAll(on_way, target); });
  return whole && copied;
}

WarmFind FindOneWarm(const ReadyBlocks& blocks, uint64_t ordinal, ReadyBlocks::Record& record) {
  ReadyBlocks::Aim aim;
  if (!blocks.TakeAim(ordinal, aim)) return WarmFind::kFailed;
  if (ReadyBlocks::IsOwned(aim)) return ReadyBlocks::Find(aim, record) ? WarmFind::kWithoutMap : WarmFind::kFailed;
  volatile bool found = false;
  const bool whole = FaultGuard::Run([&] { found = ReadyBlocks::Find(aim, record); });
  return whole && found ? WarmFind::kInMap : WarmFind::kFailed;
}

WarmFind ViewOneWarm(const ReadyBlocks& blocks, uint64_t ordinal, ReadyBlocks::Record& record) {
  const WarmFind found = FindOneWarm(blocks, ordinal, record);
  if (found != WarmFind::kInMap) return found;
  volatile bool same = false;
  const bool whole = FaultGuard::Run([&] { same = LoadLe64(record.framed) == record.length; });
  return whole && same ? found : WarmFind::kFailed;
}

WarmCopy CopyOneWarm(const ReadyBlocks::Record& record, uint8_t* out) {
  volatile WarmCopy outcome = WarmCopy::kFailed;
  const bool whole = FaultGuard::Run([&] {
    if (LoadLe64(record.framed) != record.length) return;
    // Room for an empty payload may be a null pointer, which must not be passed to memcpy.
    if (record.length != 0) std::memcpy(out, record.framed + record.header, record.length);
    // Read after the rest was copied: a file is always truncated from the end.
    std::atomic_thread_fence(std::memory_order_acquire);
    const volatile uint8_t* end = record.framed + record.framing + record.length;
    outcome = end[-1] != 0 ? WarmCopy::kSurelyAll : WarmCopy::kCopied;
  });
  return whole ? outcome : WarmCopy::kFailed;
}

namespace {

// Creates views of the records that `aims` lead to, none of which needs the map. Returns the number of views before the
// first that is impossible.
size_t ViewOwned(std::span<const ReadyBlocks::Aim> aims, std::span<ByteView> views) {
  ReadyBlocks::Record record;
  for (size_t i = 0; i < aims.size(); ++i) {
    if (!ReadyBlocks::Find(aims[i], record)) return i;
    views[i] = record.payload();
  }
  return aims.size();
}

// As ViewOwned, for any records; checks their headers.
size_t ViewInMap(std::span<const ReadyBlocks::Aim> aims, std::span<ByteView> views) {
  std::array<ReadyBlocks::Record, kViewedAtOnce> records;
  volatile size_t viewed = 0;
  static_cast<void>(FaultGuard::Run([&] {
    size_t found = 0;
    for (; found < aims.size() && ReadyBlocks::Find(aims[found], records[found]); ++found) {
      __builtin_prefetch(records[found].framed);
    }
    size_t i = 0;
    for (; i < found && LoadLe64(records[i].framed) == records[i].length; ++i) views[i] = records[i].payload();
    viewed = i;
  }));
  return viewed;
}

}  // namespace

size_t ViewWarm(const ReadyBlocks& blocks, std::span<const uint64_t> ordinals, std::span<ByteView> views,
                const std::function<bool(uint32_t shard)>& unchanged, bool& in_map) {
  std::array<ReadyBlocks::Aim, kViewedAtOnce> aims;
  std::optional<uint32_t> asked;  // the shard last found unchanged
  for (size_t first = 0; first < ordinals.size(); first += kViewedAtOnce) {
    const std::span<const uint64_t> group = ordinals.subspan(first, std::min(kViewedAtOnce, ordinals.size() - first));
    size_t n = 0;
    bool owned = true;
    for (; n < group.size() && blocks.TakeAim(group[n], aims[n]); ++n) {
      const uint32_t shard = ReadyBlocks::ShardOf(aims[n]);
      if (shard != asked && !unchanged(shard)) break;
      asked = shard;
      owned = owned && ReadyBlocks::IsOwned(aims[n]);
      __builtin_prefetch(aims[n].slot.word);
    }
    in_map = in_map || !owned;
    const std::span<const ReadyBlocks::Aim> taken(aims.data(), n);
    const size_t viewed = owned ? ViewOwned(taken, views.subspan(first)) : ViewInMap(taken, views.subspan(first));
    if (viewed < group.size()) return first + viewed;
  }
  return ordinals.size();
}

}  // namespace ofindex
