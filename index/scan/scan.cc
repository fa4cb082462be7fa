#include "index/scan/scan.h"

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <optional>
#include <thread>
#include <utility>

#include "base/allocation.h"
#include "base/framing.h"
#include "base/text.h"
#include "base/threads.h"
#include "index/scan/block_pass.h"
#include "index/scan/built_block.h"
#include "index/scan/large_shards.h"
#include "index/walk/speculative_scan.h"
#include "index/walk/walker.h"

namespace ofindex {
namespace {

// Header chains followed at once on large records: with thirty-two chains a cold disk delivers more than four times as
// much as with one (design.md).
constexpr unsigned kChains = 32;

constexpr uint64_t kMinSpeculativeBytes = uint64_t{64} << 20;

// Returns the damage of a shard in which no record can be found: one range, the whole shard. A compressed shard is not
// inflated.
DamagedRange DamageOfWhole(const ProbedShard& shard) {
  const uint64_t size = shard.identity.size;
  if (shard.compression == Compression::kNone) return {0, size, *shard.lost};
  return {0, 0, *shard.lost, ByteRange{0, size}};
}

// Threads that run a speculative segment scan, and end with it.
class SpeculativeThreads {
 public:
  SpeculativeThreads(const File& file, const ProbedShard& shard, unsigned count) {
    if (count == 0) return;
    scan_.emplace(file, shard.identity.size, count, shard.mean_record_bytes, shard.range);
    auto runner = StartThread([this, count] { RunOnThreads(count, [this](unsigned) { scan_->Run(); }); });
    if (runner) {
      runner_ = std::move(*runner);
    } else {
      scan_.reset();  // the walk continues without it
    }
  }
  ~SpeculativeThreads() {
    if (!scan_) return;
    scan_->Stop();
    runner_.join();
  }
  SpeculativeThreads(const SpeculativeThreads&) = delete;
  SpeculativeThreads& operator=(const SpeculativeThreads&) = delete;

  [[nodiscard]] SpeculativeScan* scan() { return scan_ ? &*scan_ : nullptr; }

 private:
  std::optional<SpeculativeScan> scan_;
  std::thread runner_;
};

}  // namespace

class DatasetScan::Extractors {
 public:
  explicit Extractors(const ScanOptions& options) : options_(options) {}

  BlockExtractor& Of(PayloadKind kind) {
    std::unique_ptr<BlockExtractor>& extractor = by_kind_[static_cast<size_t>(kind)];
    if (!extractor) {
      const FieldPlan plan = options_.message ? *options_.message : FieldPlan::Of(kind);
      extractor = std::make_unique<BlockExtractor>(plan, options_.columns);
    }
    return *extractor;
  }

 private:
  const ScanOptions& options_;
  std::array<std::unique_ptr<BlockExtractor>, 4> by_kind_;
};

DatasetScan::DatasetScan(const std::vector<ProbedShard>& shards, const ScanOptions& options, BlockQueue& queue,
                         Progress& progress)
    : shards_(shards),
      options_(options),
      queue_(queue),
      progress_(progress),
      large_shards_(static_cast<size_t>(std::count_if(shards.begin(), shards.end(), IsLarge))),
      total_bytes_(std::accumulate(shards.begin(), shards.end(), uint64_t{0},
                                   [](uint64_t sum, const ProbedShard& shard) { return sum + shard.bytes(); })),
      reads_payloads_(std::any_of(shards.begin(), shards.end(),
                                  [this](const ProbedShard& shard) { return ReadsPayloads(shard); })) {}

bool DatasetScan::Extracts(const ProbedShard& shard) const {
  if (!options_.columns.decodes()) return false;
  return options_.message.has_value() || shard.payload != PayloadKind::kOpaque;
}

void DatasetScan::Run() {
  auto ran = WithMemory("the scan", [&]() -> Result<void> {
    RunOnThreads(static_cast<unsigned>(std::max<size_t>(Walkers(), 1)), [this](unsigned) { Work(); });
    return {};
  });
  if (!ran) queue_.Abort(std::move(ran).error());
}

size_t DatasetScan::Walkers() const {
  // Checking every byte keeps processors and disk busy by itself.
  if (options_.check_payloads) return options_.threads;
  const size_t chains = LargeOnesAreCached(shards_, large_shards_) ? 0 : std::min<size_t>(kChains, large_shards_);
  const size_t useful = std::max<size_t>(options_.threads, chains);
  return reads_payloads_ ? useful : std::min(useful, shards_.size());
}

void DatasetScan::Work() {
  Extractors extractors(options_);
  std::unique_lock lock(mutex_);
  for (;;) {
    // Only payload processing creates work for other threads.
    if (reads_payloads_) {
      ++idle_;
      changed_.wait(lock, [&] { return !tasks_.empty() || next_shard_ < shards_.size() || walking_ == 0; });
      --idle_;
    }
    if (!tasks_.empty()) {
      Task task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      ProcessPayloads(std::move(task), extractors);
      lock.lock();
    } else if (next_shard_ < shards_.size()) {
      const size_t shard = next_shard_++;
      ++walking_;
      lock.unlock();
      WalkShard(shard, extractors);
      lock.lock();
      if (--walking_ == 0) changed_.notify_all();
    } else {
      return;
    }
  }
}

void DatasetScan::WalkShard(size_t shard, Extractors& extractors) {
  if (queue_.aborted()) return;
  if (shards_[shard].framing == Framing::kEmpty) {
    queue_.Finish(shard, 0, {});
    return;
  }
  if (shards_[shard].lost) {
    queue_.Finish(shard, 0, {.damage = {DamageOfWhole(shards_[shard])}});
    progress_.bytes_done.fetch_add(shards_[shard].identity.size, std::memory_order_relaxed);
    progress_.shards_done.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  Result<void> walked = WithMemory("the blocks of a shard", [&]() -> Result<void> {
    OFINDEX_ASSIGN(File file, File::OpenRead(shards_[shard].file.path));
    const bool compressed = shards_[shard].compression != Compression::kNone;
    return compressed ? WalkCompressed(shard, std::move(file), extractors) : WalkBlocks(shard, file, extractors);
  });
  if (!walked) queue_.Abort(std::move(walked).error());
  progress_.shards_done.fetch_add(1, std::memory_order_relaxed);
}

unsigned DatasetScan::SpeculativeThreadsFor(const ProbedShard& shard) const {
  const bool anchored = shard.framing == Framing::kTfRecord && shard.identity.size >= kMinSpeculativeBytes;
  if (options_.check_payloads || !anchored) return 0;
  if (!IsLarge(shard)) return SmallRecordChains(shard);
  return large_shards_ > kChains / 2 ? 0 : kChains / static_cast<unsigned>(large_shards_);
}

// A thread that walks small records is busy, so a shard that is larger than a thread's share of all bytes is walked by
// more threads. Those that extract columns read the records a second time, and are then most of the work.
unsigned DatasetScan::SmallRecordChains(const ProbedShard& shard) const {
  if (shard.mean_record_bytes == 0) return 0;  // not known: they may be large
  const double shares = static_cast<double>(shard.bytes()) * options_.threads / static_cast<double>(total_bytes_);
  if (shares < 1.25) return 0;
  const auto threads = std::min(options_.threads, static_cast<unsigned>(shares + 0.75));
  return Extracts(shard) ? (threads + 2) / 3 : threads;
}

// Opens a separate descriptor for payload reads: the walk's own one is advised for hopping.
Result<std::shared_ptr<const File>> DatasetScan::OpenForPayloads(const ProbedShard& shard) const {
  if (!ReadsPayloads(shard)) return std::shared_ptr<const File>();
  OFINDEX_ASSIGN(File opened, File::OpenRead(shard.file.path));
  if (!options_.check_payloads && IsLarge(shard)) opened.Advise(File::Access::kRandom);
  return std::make_shared<const File>(std::move(opened));
}

Result<void> DatasetScan::WalkBlocks(size_t shard, const File& file, Extractors& extractors) {
  const ProbedShard& probed = shards_[shard];
  OFINDEX_ASSIGN(const std::shared_ptr<const File> payload_file, OpenForPayloads(probed));
  const FileBytes bytes(file, probed.identity.size);
  const uint64_t segment_bytes = SegmentBytes(probed.framing, probed.identity.size, options_.segment_bytes);
  ShardWalker walker(bytes, probed.framing, progress_, segment_bytes);
  walker.Enter(probed.range);
  SpeculativeThreads scan_threads(file, probed, SpeculativeThreadsFor(probed));
  walker.Follow(scan_threads.scan());
  std::vector<uint64_t> boundaries;
  uint64_t records = 0;
  uint64_t record_bytes = probed.mean_record_bytes;
  size_t blocks = 0;
  while (queue_.WaitForRoom(shard)) {
    // The walk does not see the bytes of records that were scanned ahead.
    std::optional<ExtractingVisitor> visitor;
    const bool follows = scan_threads.scan() != nullptr;
    if (!follows && ExtractsDuringWalk(probed, record_bytes))
      visitor.emplace(bytes, probed.framing, extractors.Of(probed.payload));
    const uint64_t before = walker.position();
    OFINDEX_ASSIGN(const bool more, walker.NextBlock(boundaries, visitor ? &*visitor : nullptr));
    if (!options_.check_payloads) {
      progress_.bytes_done.fetch_add(walker.position() - before, std::memory_order_relaxed);
    }
    if (!more) break;
    BuiltBlock block = EncodeBlock(shard, probed.framing, records, boundaries);
    records += block.row.records;
    record_bytes = block.payload_bytes / block.row.records;
    if (visitor) {
      OFINDEX_ASSIGN(block.columns, visitor->Finish(boundaries));
      Deliver(shard, blocks, std::move(block));
    } else if (payload_file) {
      Dispatch({shard, blocks, payload_file, std::move(block), std::exchange(boundaries, {})}, extractors);
    } else {
      progress_.records_done.fetch_add(block.row.records, std::memory_order_relaxed);
      queue_.Put(shard, blocks, std::move(block));
    }
    ++blocks;
  }
  queue_.Finish(shard, blocks, {.damage = walker.damage(), .stream = {}, .walked = walker.walked()});
  return {};
}

// Each block is processed while its bytes are in memory; otherwise they must be inflated again.
Result<void> DatasetScan::WalkCompressed(size_t shard, File file, Extractors& extractors) {
  const ProbedShard& probed = shards_[shard];
  InflatingWalk bytes(std::make_shared<const File>(std::move(file)), probed.identity.size, probed.compression,
                      options_.inflate, /*ahead=*/options_.threads > 1, progress_);
  ShardWalker walker(bytes, probed.framing, progress_);
  walker.Enter(probed.range);
  std::vector<uint64_t> boundaries;
  uint64_t records = 0;
  size_t blocks = 0;
  for (; queue_.WaitForRoom(shard); ++blocks) {
    PayloadVisitor visitor(bytes, probed.framing, Extracts(probed) ? &extractors.Of(probed.payload) : nullptr,
                           options_.check_payloads);
    OFINDEX_ASSIGN(const bool more, walker.NextBlock(boundaries, &visitor));
    if (!more) break;
    BuiltBlock block = EncodeBlock(shard, probed.framing, records, boundaries);
    records += block.row.records;
    OFINDEX_TRY(visitor.Finish(boundaries, block));
    if (options_.check_payloads) progress_.records_done.fetch_add(block.row.records, std::memory_order_relaxed);
    Deliver(shard, blocks, std::move(block));
  }
  if (queue_.aborted()) return {};
  OFINDEX_ASSIGN(StreamFindings stream, bytes.Finish());
  std::vector<DamagedRange> damage = DamageOf(walker.damage(), stream, probed.identity.size);
  queue_.Finish(shard, blocks, {.damage = std::move(damage), .stream = std::move(stream), .walked = walker.walked()});
  return {};
}

// Returns true if the thread that walks the next block, of records of about `record_bytes`, should also decode them.
bool DatasetScan::ExtractsDuringWalk(const ProbedShard& shard, uint64_t record_bytes) {
  if (options_.check_payloads || !Extracts(shard) || record_bytes >= kLargeRecordBytes) return false;
  const std::lock_guard lock(mutex_);
  return tasks_.size() >= idle_;
}

void DatasetScan::Dispatch(Task task, Extractors& extractors) {
  if (!TryEnqueue(task)) ProcessPayloads(std::move(task), extractors);
}

// Leaves the task to another thread if one is idle: a task that waited in a queue would hold back the blocks after it.
bool DatasetScan::TryEnqueue(Task& task) {
  const std::lock_guard lock(mutex_);
  if (tasks_.size() >= idle_) return false;
  tasks_.push_back(std::move(task));
  changed_.notify_all();
  return true;
}

// Checks and decodes a block in two passes: the second one finds it in memory.
void DatasetScan::ProcessPayloads(Task task, Extractors& extractors) {
  if (queue_.aborted()) return;
  const ProbedShard& shard = shards_[task.shard];
  Result<void> processed = WithMemory("the payloads of a block", [&]() -> Result<void> {
    const FileBytes bytes(*task.file, shard.identity.size);
    if (options_.check_payloads) {
      OFINDEX_ASSIGN(BlockFindings findings, CheckBlock(bytes, shard.framing, task.boundaries, {}, progress_));
      OFINDEX_TRY(TakeFindings(std::move(findings), bytes.path(), task.boundaries, task.block));
    }
    if (Extracts(shard)) {
      OFINDEX_ASSIGN(task.block.columns,
                     ExtractBlock(bytes, shard.framing, task.boundaries, extractors.Of(shard.payload), progress_));
    }
    Deliver(task.shard, task.number, std::move(task.block));
    return {};
  });
  if (!processed) queue_.Abort(std::move(processed).error());
}

void DatasetScan::Deliver(size_t shard, size_t number, BuiltBlock block) {
  MergeBad(block);
  if (!options_.check_payloads) progress_.records_done.fetch_add(block.row.records, std::memory_order_relaxed);
  queue_.Put(shard, number, std::move(block));
}

}  // namespace ofindex
