#include "mmap/record_reader.h"

#include <sys/resource.h>

#include <algorithm>
#include <bit>
#include <fstream>
#include <utility>

#include "base/allocation.h"
#include "base/framing.h"
#include "base/text.h"
#include "mmap/batch/viewed_records.h"
#include "mmap/batch/warm_copy.h"

namespace ofindex {
namespace {

// The kernel's default of vm.max_map_count, used if /proc does not tell.
constexpr uint64_t kDefaultMapCount = 65530;

uint64_t DefaultMaxMaps() {
  uint64_t count = 0;
  std::ifstream file("/proc/sys/vm/max_map_count");
  if (!(file >> count)) count = kDefaultMapCount;
  return count / 2;
}

uint64_t DefaultMaxDescriptors() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  return limit.rlim_cur / 4;
}

constexpr size_t kViewedBuckets = size_t{1} << 16;

// Returns how often this thread has had to wait for the disk.
int64_t DiskReads() {
  rusage usage{};
  ::getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_majflt + usage.ru_inblock;
}

std::string_view ReasonName(uint32_t reason) { return Name(static_cast<BadReason>(reason)); }

}  // namespace

struct RecordReader::Shards {
  Shards(uint64_t n, uint64_t inflated_cache_bytes, bool inflates)
      : cache(inflated_cache_bytes),
        viewed(inflated_cache_bytes, inflates ? kViewedBuckets : 1),
        allocated(WithMemory("the table of shards", [&]() -> Result<void> {
          open = std::make_unique<std::atomic<OpenShard*>[]>(n);
          count = n;
          return {};
        })) {}
  ~Shards() {
    for (uint64_t i = 0; i < count; ++i) delete open[i].load(std::memory_order_acquire);
  }
  Shards(const Shards&) = delete;
  Shards& operator=(const Shards&) = delete;

  SpanCache cache;
  ViewedRecords viewed;
  std::unique_ptr<std::atomic<OpenShard*>[]> open;  // null until first used
  uint64_t count = 0;
  Result<void> allocated;           // returned by every read if there was no memory for the table
  std::atomic<uint64_t> opened{0};  // number of open shards; only the first ones keep maps and descriptors
  std::atomic<bool> cold{false};    // the last batch waited for the disk
};

RecordReader::RecordReader(std::shared_ptr<const OffsetMap> map, ShardPaths paths, ReaderOptions options)
    : map_(std::move(map)),
      paths_(std::move(paths)),
      options_(std::move(options)),
      shards_(std::make_unique<Shards>(map_->shards(), options_.inflated_cache_bytes, inflates())),
      ready_(std::make_unique<ReadyBlocks>(*map_)) {
  if (options_.max_maps == 0) options_.max_maps = DefaultMaxMaps();
  if (options_.max_descriptors == 0) options_.max_descriptors = DefaultMaxDescriptors();
}

RecordReader::RecordReader(RecordReader&&) noexcept = default;
RecordReader& RecordReader::operator=(RecordReader&&) noexcept = default;
RecordReader::~RecordReader() = default;

RecordReader RecordReader::Open(std::shared_ptr<const OffsetMap> map, const std::string& folder, ReaderOptions options,
                                std::string anchor) {
  ShardPaths paths(folder, anchor);
  if (!options.root.empty() && map->shards() != 0) {
    const auto first = map->Shard(0);
    paths = ShardPaths(options.root, first ? first->path : std::string_view(), map->data_dir_bytes(), anchor);
  }
  return RecordReader(std::move(map), std::move(paths), std::move(options));
}

Result<std::string> RecordReader::ShardPath(uint32_t shard) const {
  OFINDEX_ASSIGN(const MapShard entry, map_->Shard(shard));
  return paths_.PathOf(entry.path);
}

Result<RecordLocation> RecordReader::Locate(uint64_t ordinal) const {
  if (ordinal >= size()) {
    return Fail(ErrorCode::kOutOfRange,
                StrCat("record ", ordinal, " is not in the dataset; expected less than ", size()));
  }
  OFINDEX_ASSIGN(const OffsetMap::Place place, map_->Find(ordinal));
  OFINDEX_ASSIGN(const MapShard entry, map_->Shard(place.shard));
  const uint64_t framing = FramingBytes(entry.framing);
  const uint64_t bytes = entry.compression == Compression::kNone ? entry.identity.size : entry.inflated_bytes;
  if (place.end > bytes || place.end - place.begin < framing) {
    return Fail(ErrorCode::kIndex, StrCat("record ", ordinal, " lies outside its shard"));
  }
  return RecordLocation{.shard = place.shard, .offset = place.begin, .length = place.end - place.begin - framing};
}

Result<OffsetMap::Place> RecordReader::FindSound(uint64_t ordinal) const {
  if (ordinal >= size()) return tl::unexpected(Locate(ordinal).error());
  OFINDEX_ASSIGN(const OffsetMap::Place place, map_->Find(ordinal));
  OFINDEX_TRY(CheckSound(ordinal, place));
  return place;
}

Result<void> RecordReader::CheckSound(uint64_t ordinal, const OffsetMap::Place& place) const {
  if (place.bad_reason == 0 || options_.allow_bad) return {};
  OFINDEX_ASSIGN(const std::string path, ShardPath(place.shard));
  return Fail(
      ErrorCode::kDamage,
      StrCat(Printable(path), "@", place.begin, ": record ", ordinal, " is marked bad: ", ReasonName(place.bad_reason)),
      "`ofindex info` lists all bad records");
}

Result<const OpenShard*> RecordReader::Shard(uint32_t shard) const {
  if (shard >= shards_->count) return tl::unexpected(shards_->allocated.error());
  const OpenShard* open = shards_->open[shard].load(std::memory_order_acquire);
  if (open != nullptr) return open;
  return OpenNow(shard);
}

// Two threads may open the same shard at once; the second discards its own. No lock, so a fork in between leaves
// nothing locked in the child.
Result<const OpenShard*> RecordReader::OpenNow(uint32_t shard) const {
  OFINDEX_ASSIGN(const MapShard entry, map_->Shard(shard));
  if (entry.framing != Framing::kTfRecord && entry.framing != Framing::kOfRecord) {
    return Fail(ErrorCode::kIndex, StrCat("shard ", shard, " has an unknown framing"));
  }
  std::string path = paths_.PathOf(entry.path);
  const uint64_t others = shards_->opened.load(std::memory_order_relaxed);
  OpenShard::Options options{.io = options_.io,
                             .keep_descriptor = others < options_.max_descriptors,
                             .may_map = others < options_.max_maps,
                             .place = paths_.PlaceOf(entry.path)};
  OFINDEX_ASSIGN(auto inflation, InflationOf(shard, entry));
  auto outcome =
      OpenShard::Open(std::move(path), entry.framing, entry.identity, std::move(options), std::move(inflation));
  if (!outcome && outcome.error().code == ErrorCode::kStale && !options_.root.empty()) {
    outcome.error().hint = "check that --root names the folder of the copy, or leave it out";
  }
  OFINDEX_ASSIGN(std::unique_ptr<OpenShard> opened, std::move(outcome));
  OpenShard* expected = nullptr;
  OpenShard* const own = opened.get();
  if (!shards_->open[shard].compare_exchange_strong(expected, own, std::memory_order_acq_rel)) return expected;
  static_cast<void>(opened.release());
  shards_->opened.fetch_add(1, std::memory_order_relaxed);
  return own;
}

// Returns nullopt if the shard is not compressed.
Result<std::optional<OpenShard::Inflation>> RecordReader::InflationOf(uint32_t shard, const MapShard& entry) const {
  if (entry.compression == Compression::kNone) return std::nullopt;
  if (!ParseCompression(Name(entry.compression))) {
    return Fail(ErrorCode::kIndex, StrCat("shard ", shard, " has an unknown compression"));
  }
  OpenShard::Inflation inflation{.facts = {.compression = entry.compression,
                                           .file_bytes = entry.identity.size,
                                           .inflated_bytes = entry.inflated_bytes},
                                 .checkpoints = nullptr,
                                 .cache = &shards_->cache,
                                 .shard = shard};
  if (!inflation.facts.plausible()) {
    return Fail(ErrorCode::kIndex, StrCat("shard ", shard, " cannot inflate to the size in the map"));
  }
  OFINDEX_ASSIGN(inflation.checkpoints, map_->CheckpointsOf(shard));
  return inflation;
}

Result<RecordRead> RecordReader::PlanRead(uint64_t ordinal, const OffsetMap::Place& place,
                                          const OpenShard& shard) const {
  const uint64_t framing = FramingBytes(shard.framing());
  if (place.end > shard.size() || place.end - place.begin < framing) {
    return Fail(ErrorCode::kIndex, StrCat("record ", ordinal, " lies outside its shard"));
  }
  return RecordRead{
      .begin = place.begin, .length = place.end - place.begin - framing, .out = nullptr, .ordinal = ordinal};
}

// The shard must be open.
bool RecordReader::ShardUnchanged(uint32_t shard, int64_t tick) const {
  return shards_->open[shard].load(std::memory_order_acquire)->UnchangedThisTick(tick);
}

std::optional<ByteView> RecordReader::ViewAtOnce(uint64_t ordinal) const {
  const uint64_t state = map_->watch().state();
  ReadyBlocks::Record record;
  const WarmFind found = ViewOneWarm(*ready_, ordinal, record);
  if (found == WarmFind::kFailed) return std::nullopt;
  const int64_t tick = CoarseTick();
  if (!ShardUnchanged(record.shard, tick)) return std::nullopt;
  if (found == WarmFind::kInMap && !map_->watch().UnchangedThisTick(state, tick)) return std::nullopt;
  return record.payload();
}

Result<ByteView> RecordReader::View(uint64_t ordinal) const {
  if (const auto at_once = ViewAtOnce(ordinal)) return *at_once;
  return ViewChecked(ordinal);
}

// The slow path of View: opens what is not open yet, and returns precise errors.
Result<ByteView> RecordReader::ViewChecked(uint64_t ordinal) const {
  OFINDEX_ASSIGN(const OffsetMap::Place place, FindSound(ordinal));
  OFINDEX_ASSIGN(const OpenShard* shard, Shard(place.shard));
  OFINDEX_ASSIGN(const RecordRead read, PlanRead(ordinal, place, *shard));
  if (shard->compressed()) return ViewInflated(read, *shard);
  const ByteView bytes = shard->mapped();
  if (bytes.empty()) {
    return Fail(ErrorCode::kLimit, StrCat("record ", ordinal, " cannot be viewed: its shard is not mapped"),
                "copy the record, or open the dataset with io=mmap");
  }
  OFINDEX_TRY(shard->Read(std::span(&read, 1)));  // checks the header, and reports a changed shard
  ready_->Add(*map_, ordinal, place.block, *shard, options_.allow_bad);
  return bytes.subspan(read.begin + HeaderBytes(shard->framing()), read.length);
}

Result<ByteView> RecordReader::ViewInflated(RecordRead read, const OpenShard& shard) const {
  return WithMemory("a record", [&]() -> Result<ByteView> {
    if (const auto kept = shards_->viewed.Find(read.ordinal)) return *kept;
    auto bytes = std::make_unique_for_overwrite<uint8_t[]>(read.length);
    read.out = bytes.get();
    OFINDEX_TRY(shard.Read(std::span(&read, 1)));
    if (const auto kept = shards_->viewed.Keep(read.ordinal, std::move(bytes), read.length)) return *kept;
    return Fail(
        ErrorCode::kLimit,
        StrCat("record ", read.ordinal, " cannot be viewed: its shard is compressed, and views of such records ",
               "may take ", FormatBytes(static_cast<double>(options_.inflated_cache_bytes)), " together"),
        "copy the record, or open the dataset with a larger cache");
  });
}

Result<size_t> RecordReader::ReadBytes(uint32_t shard, uint64_t offset, std::span<uint8_t> out) const {
  OFINDEX_ASSIGN(const OpenShard* const open, Shard(shard));
  return open->ReadBytes(offset, out);
}

Result<void> RecordReader::View(std::span<const uint64_t> ordinals, std::span<ByteView> views) const {
  const uint64_t state = map_->watch().state();
  const int64_t tick = CoarseTick();
  const auto unchanged = [this, tick](uint32_t shard) { return ShardUnchanged(shard, tick); };
  bool in_map = false;
  for (size_t i = 0; i < ordinals.size(); ++i) {
    i += ViewWarm(*ready_, ordinals.subspan(i), views.subspan(i), unchanged, in_map);
    if (i == ordinals.size()) break;
    OFINDEX_ASSIGN(views[i], ViewChecked(ordinals[i]));
  }
  if (!in_map || map_->watch().UnchangedThisTick(state, CoarseTick())) return {};
  for (size_t i = 0; i < ordinals.size(); ++i) {
    OFINDEX_ASSIGN(views[i], ViewChecked(ordinals[i]));
  }
  return {};
}

void RecordReader::Prefetch(uint64_t first, uint64_t count) const {
  if (count == 0) return;
  const auto begin = map_->Find(first);
  const auto end = map_->Find(first + count - 1);
  if (!begin || !end) return;
  // If the range continues in the next shard, that part is prefetched when it is reached.
  const auto shard = Shard(begin->shard);
  if (!shard) return;
  const uint64_t from = begin->begin;
  const uint64_t to = begin->shard == end->shard ? end->end : (*shard)->size();
  if (to > (*shard)->size() || to < from + HeaderBytes((*shard)->framing())) return;
  const RecordRead all{
      .begin = from, .length = to - from - HeaderBytes((*shard)->framing()), .out = nullptr, .ordinal = first};
  (*shard)->Prefetch(std::span(&all, 1));
}

bool RecordReader::TryCopyTo(uint64_t ordinal, const GiveRoom& room) const {
  const uint64_t state = map_->watch().state();
  ReadyBlocks::Record record;
  const WarmFind found = FindOneWarm(*ready_, ordinal, record);
  if (found == WarmFind::kFailed) return false;
  uint8_t* const out = room(record.length);
  if (out == nullptr) return false;
  const WarmCopy copied = CopyOneWarm(record, out);
  if (copied == WarmCopy::kFailed) return false;
  const int64_t tick = CoarseTick();
  if (found == WarmFind::kInMap && !map_->watch().UnchangedThisTick(state, tick)) return false;
  if (copied == WarmCopy::kSurelyAll) return ShardUnchanged(record.shard, tick);
  const Result<bool> unchanged = shards_->open[record.shard].load(std::memory_order_acquire)->Unchanged();
  return unchanged && *unchanged;
}

Result<void> RecordReader::CopyTo(uint64_t ordinal, const GiveRoom& room) const {
  if (TryCopyTo(ordinal, room)) return {};
  return WithMemory("a record", [&] { return CopyOneCarefully(ordinal, room); });
}

Result<void> RecordReader::CopyOneCarefully(uint64_t ordinal, const GiveRoom& room) const {
  OFINDEX_ASSIGN(const OffsetMap::Place place, FindSound(ordinal));
  OFINDEX_ASSIGN(const OpenShard* shard, Shard(place.shard));
  OFINDEX_ASSIGN(RecordRead read, PlanRead(ordinal, place, *shard));
  ready_->Add(*map_, ordinal, place.block, *shard, options_.allow_bad);
  read.out = room(read.length);
  if (read.out == nullptr && read.length != 0) {
    return Fail(ErrorCode::kLimit, StrCat("out of memory for record ", ordinal, ", of ", read.length, " bytes"));
  }
  return shard->Read(std::span(&read, 1));
}

Result<void> RecordReader::Copy(uint64_t ordinal, std::vector<uint8_t>& out) const {
  return WithMemory("a record", [&] {
    return CopyOneCarefully(ordinal, [&out](uint64_t length) {
      out.resize(length);
      return out.data();
    });
  });
}

Result<void> RecordReader::CopyInto(std::span<const uint64_t> ordinals, RecordBatch& batch) const {
  return WithMemory("a batch of records", [&]() -> Result<void> {
    const int64_t before = DiskReads();
    if (shards_->cold.load(std::memory_order_relaxed) || !TryCopyWarm(ordinals, batch)) {
      OFINDEX_TRY(CopyCarefully(ordinals, batch));
    }
    shards_->cold.store(DiskReads() != before, std::memory_order_relaxed);
    return {};
  });
}

// The fast path, which suffices for most batches. Returns true if it copied everything, otherwise false without a
// reason.
bool RecordReader::TryCopyWarm(std::span<const uint64_t> ordinals, RecordBatch& batch) const {
  const uint64_t state = map_->watch().state();
  batch.ends_.resize(ordinals.size());
  batch.shards_read_.assign((map_->shards() + 63) / 64, 0);
  const CopyTarget target{.bytes = batch.room(), .ends = batch.ends_, .shards_read = batch.shards_read_};
  if (!CopyWarm(*ready_, ordinals, target)) return false;
  for (size_t word = 0; word < batch.shards_read_.size(); ++word) {
    for (uint64_t bits = batch.shards_read_[word]; bits != 0; bits &= bits - 1) {
      const size_t shard = word * 64 + static_cast<size_t>(std::countr_zero(bits));
      const auto unchanged = shards_->open[shard].load(std::memory_order_acquire)->Unchanged();
      if (!unchanged || !*unchanged) return false;
    }
  }
  return ordinals.empty() || map_->watch().Unchanged(state);
}

// Copies in storage order, shard by shard, and opens or inflates each shard as needed.
Result<void> RecordReader::CopyCarefully(std::span<const uint64_t> ordinals, RecordBatch& batch) const {
  OFINDEX_TRY(PlanBatch(ordinals, batch));
  return ReadBatch(batch);
}

// Finds the places of all wanted records, except those that do not exist, which are sorted last.
Result<void> RecordReader::FindPlaces(RecordBatch& batch) const {
  batch.ordinals_.clear();
  for (const RecordBatch::Wanted& wanted : batch.wanted_) {
    if (wanted.ordinal < size()) batch.ordinals_.push_back(wanted.ordinal);
  }
  batch.places_.resize(batch.ordinals_.size());
  return map_->Find(batch.ordinals_, batch.places_);
}

Result<void> RecordReader::PlanBatch(std::span<const uint64_t> ordinals, RecordBatch& batch) const {
  const size_t n = ordinals.size();
  batch.wanted_.resize(n);
  for (size_t i = 0; i < n; ++i) batch.wanted_[i] = {ordinals[i], i};
  std::sort(batch.wanted_.begin(), batch.wanted_.end(),
            [](const auto& a, const auto& b) { return a.ordinal < b.ordinal; });

  batch.reads_.resize(n);
  batch.shards_.resize(n);
  batch.ends_.resize(n);
  const OpenShard* shard = nullptr;
  OFINDEX_TRY(FindPlaces(batch));
  for (size_t i = 0; i < n; ++i) {
    const auto [ordinal, slot] = batch.wanted_[i];
    if (ordinal >= size()) return tl::unexpected(Locate(ordinal).error());
    const OffsetMap::Place& place = batch.places_[i];
    OFINDEX_TRY(CheckSound(ordinal, place));
    if (i == 0 || place.shard != batch.shards_[i - 1]) {
      OFINDEX_ASSIGN(shard, Shard(place.shard));
    }
    OFINDEX_ASSIGN(batch.reads_[i], PlanRead(ordinal, place, *shard));
    ready_->Add(*map_, ordinal, place.block, *shard, options_.allow_bad);
    batch.shards_[i] = place.shard;
    batch.ends_[slot] = batch.reads_[i].length;
  }
  uint64_t end = 0;
  for (uint64_t& length_then_end : batch.ends_) {
    if (__builtin_add_overflow(end, length_then_end, &end)) {
      return Fail(ErrorCode::kLimit, "the batch is too large; its size in bytes exceeds 64 bits",
                  "ask for fewer records at once");
    }
    length_then_end = end;
  }
  batch.Allocate();
  for (size_t i = 0; i < n; ++i) {
    RecordRead& read = batch.reads_[i];
    read.out = batch.buffer_.get() + batch.ends_[batch.wanted_[i].slot] - read.length;
  }
  return {};
}

Result<void> RecordReader::ReadBatch(const RecordBatch& batch) const {
  const bool cold = shards_->cold.load(std::memory_order_relaxed);
  // All shards are prefetched before the first is waited for.
  for (const bool prefetching : {true, false}) {
    if (prefetching && !cold) continue;
    for (size_t first = 0; first < batch.shards_.size();) {
      size_t last = first + 1;
      while (last < batch.shards_.size() && batch.shards_[last] == batch.shards_[first]) ++last;
      OFINDEX_ASSIGN(const OpenShard* shard, Shard(batch.shards_[first]));
      const std::span<const RecordRead> reads(batch.reads_.data() + first, last - first);
      if (prefetching) {
        shard->Prefetch(reads);
      } else {
        OFINDEX_TRY(shard->Read(reads));
      }
      first = last;
    }
  }
  return {};
}

}  // namespace ofindex
