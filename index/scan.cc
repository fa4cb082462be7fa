#include "index/scan.h"

#include <algorithm>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "base/allocation.h"
#include "base/framing.h"
#include "base/text.h"
#include "base/threads.h"
#include "index/block_check.h"
#include "index/segment_scout.h"
#include "index/walker.h"
#include "mmap/packed_offsets.h"

namespace ofindex {
namespace {

// Chains of headers that are followed at once on large records: a cold disk gives thirty-two chains five times what it
// gives one (design.md).
constexpr unsigned kChains = 32;

// Records of this size are hopped over (index/header_chain.cc), in shards that are worth a thread.
constexpr uint64_t kLargeRecordBytes = 32 << 10;
constexpr uint64_t kLargeShardBytes = uint64_t{1} << 20;
constexpr uint64_t kScoutedShardBytes = uint64_t{64} << 20;

bool IsLarge(const ProbedShard& shard) {
  return shard.mean_record_bytes >= kLargeRecordBytes && shard.identity.size >= kLargeShardBytes;
}

// True if the large shards seem to be in the page cache, where more chains than processors only get in each other's way.
// Looks at a few of them, in the middle.
bool LiesInCache(const std::vector<ProbedShard>& shards) {
  constexpr size_t kLooks = 8;
  const size_t step = std::max<size_t>(shards.size() / kLooks, 1);
  for (size_t i = 0; i < shards.size(); i += step) {
    if (!IsLarge(shards[i])) continue;
    const auto file = File::OpenRead(shards[i].file.path);
    if (!file || !file->IsCachedAt(shards[i].identity.size / 2)) return false;
  }
  return true;
}

BuiltBlock Encode(size_t shard, Framing framing, uint64_t first_record, std::span<const uint64_t> points) {
  const uint64_t records = points.size() - 1;
  BuiltBlock block;
  block.row.shard = static_cast<uint32_t>(shard);
  block.row.first_record = first_record;
  block.row.records = static_cast<uint32_t>(records);
  block.row.begin = points.front();
  block.row.end = points.back();
  block.row.offsets = PackOffsets(points);
  block.payload_bytes = points.back() - points.front() - records * FramingBytes(framing);
  return block;
}

// Threads that run a scout, and end with it.
class ScoutingThreads {
 public:
  ScoutingThreads(const File& file, uint64_t size, unsigned count) {
    if (count == 0) return;
    scout_.emplace(file, size, count);
    try {
      runner_ = std::thread([this, count] { RunOnThreads(count, [this](unsigned) { scout_->Run(); }); });
    } catch (const std::system_error&) {
      scout_.reset();  // no thread to be had: the walk goes alone
    }
  }
  ~ScoutingThreads() {
    if (!scout_) return;
    scout_->Stop();
    runner_.join();
  }
  ScoutingThreads(const ScoutingThreads&) = delete;
  ScoutingThreads& operator=(const ScoutingThreads&) = delete;

  [[nodiscard]] SegmentScout* scout() { return scout_ ? &*scout_ : nullptr; }

 private:
  std::optional<SegmentScout> scout_;
  std::thread runner_;
};

}  // namespace

DatasetScan::DatasetScan(const std::vector<ProbedShard>& shards, bool check_payloads, unsigned threads,
                         BlockQueue& queue, Progress& progress)
    : shards_(shards),
      check_payloads_(check_payloads),
      threads_(threads),
      queue_(queue),
      progress_(progress),
      large_shards_(static_cast<size_t>(std::count_if(shards.begin(), shards.end(), IsLarge))) {}

void DatasetScan::Run() {
  RunOnThreads(static_cast<unsigned>(std::max<size_t>(Walkers(), 1)), [this](unsigned) { Work(); });
}

size_t DatasetScan::Walkers() const {
  // Looking at every byte keeps processors and disk busy by itself.
  if (check_payloads_) return threads_;
  const size_t chains = LiesInCache(shards_) ? 0 : std::min<size_t>(kChains, large_shards_);
  return std::min(std::max<size_t>(threads_, chains), shards_.size());
}

void DatasetScan::Work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    // Only checking makes work for others.
    if (check_payloads_) {
      ++idle_;
      changed_.wait(lock, [&] { return !tasks_.empty() || next_shard_ < shards_.size() || walking_ == 0; });
      --idle_;
    }
    if (!tasks_.empty()) {
      Task task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      CheckPayloads(std::move(task));
      lock.lock();
    } else if (next_shard_ < shards_.size()) {
      const size_t shard = next_shard_++;
      ++walking_;
      lock.unlock();
      WalkShard(shard);
      lock.lock();
      if (--walking_ == 0) changed_.notify_all();
    } else {
      return;
    }
  }
}

void DatasetScan::WalkShard(size_t shard) {
  if (queue_.aborted()) return;
  if (shards_[shard].framing == Framing::kEmpty) {
    queue_.Finish(shard, 0, {});
    return;
  }
  auto file = File::OpenRead(shards_[shard].file.path);
  Result<void> walked = file ? WithMemory("the blocks of a shard", [&] { return WalkBlocks(shard, *file); })
                             : tl::unexpected(std::move(file).error());
  if (!walked) queue_.Abort(std::move(walked).error());
  progress_.shards_done.fetch_add(1, std::memory_order_relaxed);
}

unsigned DatasetScan::ScoutsFor(const ProbedShard& shard) const {
  const bool anchored = shard.framing == Framing::kTfRecord && shard.identity.size >= kScoutedShardBytes;
  if (check_payloads_ || !anchored || !IsLarge(shard) || large_shards_ > kChains / 2) return 0;
  return kChains / static_cast<unsigned>(large_shards_);
}

Result<void> DatasetScan::WalkBlocks(size_t shard, const File& file) {
  const ProbedShard& probed = shards_[shard];
  std::shared_ptr<const File> check_file;
  if (check_payloads_) {
    // A descriptor of its own: the walk tells the kernel that it hops, the check reads everything.
    OFINDEX_ASSIGN(File opened, File::OpenRead(probed.file.path));
    check_file = std::make_shared<const File>(std::move(opened));
  }
  ShardWalker walker(file, probed.identity.size, probed.framing, progress_);
  ScoutingThreads scouting(file, probed.identity.size, ScoutsFor(probed));
  walker.Follow(scouting.scout());
  std::vector<uint64_t> points;
  uint64_t records = 0;
  size_t blocks = 0;
  while (queue_.WaitForRoom(shard)) {
    const uint64_t before = walker.position();
    OFINDEX_ASSIGN(const bool more, walker.NextBlock(points));
    if (!check_payloads_) progress_.bytes_done.fetch_add(walker.position() - before, std::memory_order_relaxed);
    if (!more) break;
    BuiltBlock block = Encode(shard, probed.framing, records, points);
    records += block.row.records;
    OFINDEX_TRY(HandOver(shard, blocks++, std::move(block), points, check_file));
  }
  queue_.Finish(shard, blocks, walker.damage());
  return {};
}

Result<void> DatasetScan::HandOver(size_t shard, size_t number, BuiltBlock block, std::vector<uint64_t>& points,
                                   const std::shared_ptr<const File>& check_file) {
  if (!check_payloads_) {
    progress_.records_done.fetch_add(block.row.records, std::memory_order_relaxed);
    queue_.Put(shard, number, std::move(block));
    return {};
  }
  Task task{shard, number, check_file, std::move(block), std::move(points)};
  if (!Offer(task)) CheckPayloads(std::move(task));
  return {};
}

// Leaves the task to another thread, if one has nothing to do: a task that lay and waited would hold back the blocks
// behind it.
bool DatasetScan::Offer(Task& task) {
  const std::lock_guard lock(mutex_);
  if (tasks_.size() >= idle_) return false;
  tasks_.push_back(std::move(task));
  changed_.notify_all();
  return true;
}

void DatasetScan::CheckPayloads(Task task) {
  if (queue_.aborted()) return;
  auto findings = WithMemory("the hashes of a block", [&] {
    return CheckBlock(*task.file, shards_[task.shard].framing, task.points, {}, progress_);
  });
  if (!findings) return queue_.Abort(std::move(findings).error());
  task.block.row.hashes = std::move(findings->hashes);
  const auto rewritten = std::find_if(findings->faults.begin(), findings->faults.end(),
                                      [](const auto& faulty) { return faulty.fault != RecordFault::kPayloadCrc; });
  if (rewritten != findings->faults.end()) {
    // The walk has believed this header a moment ago.
    return queue_.Abort(
        {ErrorCode::kStale,
         StrCat(Printable(task.file->path()), "@", task.points[rewritten->record], ": the shard is being written to"),
         "run the command again when the file is no longer written to"});
  }
  for (const BlockFindings::Faulty& faulty : findings->faults) {
    task.block.bad.push_back(faulty.record | static_cast<uint32_t>(BadReason::kPayloadCrc) << 16);
  }
  queue_.Put(task.shard, task.number, std::move(task.block));
}

}  // namespace ofindex
