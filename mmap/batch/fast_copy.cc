#include "mmap/batch/fast_copy.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <optional>

#include "mmap/files/fault_guard.h"
#include "mmap/files/prefetch.h"

namespace ofindex {
namespace {

// How many records earlier a record's packed offsets are prefetched than its bytes. Any value from 4 to 8 works.
constexpr size_t kLocateAhead = 4;

// Large enough for all records in flight.
constexpr size_t kRing = 32;
static_assert(kPrefetchAhead + kLocateAhead < kRing);

// Number of records whose packed offsets are prefetched before the first of them is viewed.
constexpr size_t kViewedAtOnce = 32;

// The records of a batch that are not yet copied, but whose packed offsets, and then bytes, are being prefetched. Owns
// no resources, so a fault may abandon it at any point.
class RecordPipeline {
 public:
  RecordPipeline(const HotBlockCache& blocks, std::span<const uint64_t> ordinals)
      : blocks_(blocks), ordinals_(ordinals) {}

  // Returns true without doing anything if `i` is past the last record.
  bool Locate(size_t i) {
    if (i >= ordinals_.size()) return true;
    HotBlockCache::Locator& locator = locators_[i % kRing];
    if (!blocks_.Locate(ordinals_[i], locator)) return false;
    __builtin_prefetch(locator.slot.word);
    return true;
  }

  bool Fetch(size_t i) {
    if (i >= ordinals_.size()) return true;
    HotBlockCache::Record& record = records_[i % kRing];
    if (!HotBlockCache::Find(locators_[i % kRing], record)) return false;
    PrefetchRecord(record.framed, record.header + record.length);
    return true;
  }

  const HotBlockCache::Record& operator[](size_t i) const { return records_[i % kRing]; }

 private:
  const HotBlockCache& blocks_;
  const std::span<const uint64_t> ordinals_;
  std::array<HotBlockCache::Locator, kRing> locators_;
  std::array<HotBlockCache::Record, kRing> records_;
};

// Runs in a guarded section, so a fault may end it at any load.
bool CopyAll(RecordPipeline& pipeline, const CopyTarget& target) {
  const size_t n = target.ends.size();
  for (size_t i = 0; i < kPrefetchAhead + kLocateAhead; ++i) {
    if (!pipeline.Locate(i)) return false;
  }
  for (size_t i = 0; i < kPrefetchAhead; ++i) {
    if (!pipeline.Fetch(i)) return false;
  }
  uint64_t end = 0;
  for (size_t i = 0; i < n; ++i) {
    if (!pipeline.Locate(i + kPrefetchAhead + kLocateAhead) || !pipeline.Fetch(i + kPrefetchAhead)) return false;
    const HotBlockCache::Record& record = pipeline[i];
    if (record.length > target.bytes.size() - end || LoadLe64(record.framed) != record.length) return false;
    if (record.length != 0) std::memcpy(target.bytes.data() + end, record.framed + record.header, record.length);
    end += record.length;
    target.ends[i] = end;
    target.shards_read[record.shard / 64] |= uint64_t{1} << (record.shard % 64);
  }
  return true;
}

}  // namespace

bool CopyFast(const HotBlockCache& blocks, std::span<const uint64_t> ordinals, const CopyTarget& target) {
  RecordPipeline pipeline(blocks, ordinals);
  volatile bool copied = false;
  const bool whole = FaultGuard::Run([&] { copied = CopyAll(pipeline, target); });
  return whole && copied;
}

FastFind FindOneFast(const HotBlockCache& blocks, uint64_t ordinal, HotBlockCache::Record& record) {
  HotBlockCache::Locator locator;
  if (!blocks.Locate(ordinal, locator)) return FastFind::kFailed;
  if (HotBlockCache::IsOwned(locator))
    return HotBlockCache::Find(locator, record) ? FastFind::kWithoutMap : FastFind::kFailed;
  volatile bool found = false;
  const bool whole = FaultGuard::Run([&] { found = HotBlockCache::Find(locator, record); });
  return whole && found ? FastFind::kInMap : FastFind::kFailed;
}

FastFind ViewOneFast(const HotBlockCache& blocks, uint64_t ordinal, HotBlockCache::Record& record) {
  const FastFind found = FindOneFast(blocks, ordinal, record);
  if (found != FastFind::kInMap) return found;
  volatile bool same = false;
  const bool whole = FaultGuard::Run([&] { same = LoadLe64(record.framed) == record.length; });
  return whole && same ? found : FastFind::kFailed;
}

FastCopy CopyOneFast(const HotBlockCache::Record& record, uint8_t* out) {
  volatile FastCopy outcome = FastCopy::kFailed;
  const bool whole = FaultGuard::Run([&] {
    if (LoadLe64(record.framed) != record.length) return;
    // Room for an empty payload may be a null pointer, which must not be passed to memcpy.
    if (record.length != 0) std::memcpy(out, record.framed + record.header, record.length);
    // The last byte is read after the copy: truncation removes the end of a file first.
    std::atomic_thread_fence(std::memory_order_acquire);
    const volatile uint8_t* end = record.framed + record.framing + record.length;
    outcome = end[-1] != 0 ? FastCopy::kComplete : FastCopy::kCopied;
  });
  return whole ? outcome : FastCopy::kFailed;
}

namespace {

// Creates views of the records at `locators`, all of which can be found without the map. Returns the number of views
// before the first record whose packed offsets are impossible.
size_t ViewOwned(std::span<const HotBlockCache::Locator> locators, std::span<ByteView> views) {
  HotBlockCache::Record record;
  for (size_t i = 0; i < locators.size(); ++i) {
    if (!HotBlockCache::Find(locators[i], record)) return i;
    views[i] = record.payload();
  }
  return locators.size();
}

// Does the same as ViewOwned for any records, some of which may need the map, and checks their headers.
size_t ViewInMap(std::span<const HotBlockCache::Locator> locators, std::span<ByteView> views) {
  std::array<HotBlockCache::Record, kViewedAtOnce> records;
  volatile size_t viewed = 0;
  static_cast<void>(FaultGuard::Run([&] {
    size_t found = 0;
    for (; found < locators.size() && HotBlockCache::Find(locators[found], records[found]); ++found) {
      __builtin_prefetch(records[found].framed);
    }
    size_t i = 0;
    for (; i < found && LoadLe64(records[i].framed) == records[i].length; ++i) views[i] = records[i].payload();
    viewed = i;
  }));
  return viewed;
}

}  // namespace

size_t ViewFast(const HotBlockCache& blocks, std::span<const uint64_t> ordinals, std::span<ByteView> views,
                const std::function<bool(uint32_t shard)>& unchanged, bool& in_map) {
  std::array<HotBlockCache::Locator, kViewedAtOnce> locators;
  std::optional<uint32_t> asked;  // the shard last found unchanged
  for (size_t first = 0; first < ordinals.size(); first += kViewedAtOnce) {
    const std::span<const uint64_t> group = ordinals.subspan(first, std::min(kViewedAtOnce, ordinals.size() - first));
    size_t n = 0;
    bool owned = true;
    for (; n < group.size() && blocks.Locate(group[n], locators[n]); ++n) {
      const uint32_t shard = HotBlockCache::ShardOf(locators[n]);
      if (shard != asked && !unchanged(shard)) break;
      asked = shard;
      owned = owned && HotBlockCache::IsOwned(locators[n]);
      __builtin_prefetch(locators[n].slot.word);
    }
    in_map = in_map || !owned;
    const std::span<const HotBlockCache::Locator> taken(locators.data(), n);
    const size_t viewed = owned ? ViewOwned(taken, views.subspan(first)) : ViewInMap(taken, views.subspan(first));
    if (viewed < group.size()) return first + viewed;
  }
  return ordinals.size();
}

}  // namespace ofindex
