#include "index/verify/verifier.h"

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "base/allocation.h"
#include "base/file.h"
#include "base/framing.h"
#include "base/text.h"
#include "base/threads.h"
#include "index/attachments/attachments_beside.h"
#include "index/build/dataset_id.h"
#include "index/build/key_set.h"
#include "index/build/map_builder.h"
#include "index/build/unindexed.h"
#include "index/catalog/catalog_reader.h"
#include "index/catalog/paths.h"
#include "index/catalog/shard_files.h"
#include "index/shards/root_paths.h"
#include "index/verify/readable_shard.h"
#include "index/verify/shard_coverage.h"
#include "mmap/offsets/packed_offsets.h"
#include "mmap/shard_paths.h"

namespace ofindex {
namespace {

// For inflated bytes: each thread reads consecutive spans of some MiB.
constexpr uint64_t kCacheBytes = uint64_t{16} << 20;
constexpr uint64_t kCacheBytesPerThread = uint64_t{8} << 20;

// Returns true if the error is about one file, and not about limits of this process.
bool IsOfOneFile(const Error& error) {
  return error.code == ErrorCode::kIo && error.system != EMFILE && error.system != ENFILE && error.system != ENOMEM;
}

// A block to be read from an open shard.
struct Task {
  std::shared_ptr<const ReadableBytes> bytes;
  Framing framing;
  uint64_t shard_bytes;  // size as indexed of the bytes that hold the records
  BlockRow block;
};

// Checks blocks on several threads. One thread feeds it; memory is bounded by the number of waiting tasks.
class BlockCheckers {
 public:
  BlockCheckers(VerifyReport& report, unsigned threads, Progress& progress)
      : report_(report), threads_(threads), progress_(progress) {}

  // Waits for room. Errors: those found by a checker, so that feeding can stop.
  Result<void> Put(Task task) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return tasks_.size() < threads_ || error_; });
    if (error_) return tl::unexpected(*error_);
    tasks_.push_back(std::move(task));
    changed_.notify_all();
    return {};
  }

  Result<void> Close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_all();
    return error_ ? tl::unexpected(*error_) : Result<void>();
  }

  // Body of the checking threads. Throws nothing: nobody would catch it.
  void Work() {
    for (bool has_task = true; has_task;) {
      Result<void> checked = WithMemory("the hashes of a block", [&]() -> Result<void> {
        const std::optional<Task> task = Take();
        has_task = task.has_value();
        return has_task ? Check(*task) : Result<void>();
      });
      const std::lock_guard lock(mutex_);
      if (!checked && !error_) error_ = std::move(checked).error();
      changed_.notify_all();
    }
  }

  [[nodiscard]] const std::optional<Error>& error() const { return error_; }

  // Shards that were truncated while being read, and where.
  [[nodiscard]] const std::map<uint32_t, std::string>& cut() const { return cut_; }

  // Shards with unreadable bytes.
  [[nodiscard]] const std::map<uint32_t, std::string>& failed() const { return failed_; }

 private:
  std::optional<Task> Take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !tasks_.empty() || closed_ || error_; });
    if (tasks_.empty() || error_) return std::nullopt;
    Task task = std::move(tasks_.front());
    tasks_.pop_front();
    changed_.notify_all();
    return task;
  }

  Result<void> Check(const Task& task) {
    std::vector<uint64_t> boundaries;
    boundaries.reserve(task.block.records + size_t{1});
    const PackedOffsets offsets(task.block.offsets.data());
    for (uint32_t i = 0; i < task.block.records; ++i) boundaries.push_back(offsets.At(i).begin);
    boundaries.push_back(task.block.end);
    OFINDEX_TRY(CheckBoundaries(task, boundaries));
    const auto findings = CheckBlock(*task.bytes, task.framing, boundaries, task.block.hashes, progress_);
    const std::lock_guard lock(mutex_);
    if (!findings && findings.error().code == ErrorCode::kStale) {
      cut_.emplace(task.block.shard, findings.error().message);
      return {};
    }
    if (!findings && IsOfOneFile(findings.error())) {
      failed_.emplace(task.block.shard, findings.error().message);
      return {};
    }
    OFINDEX_TRY(findings);
    report_.records_checked += task.block.records;
    report_.bytes_checked += task.block.end - task.block.begin;
    if (task.framing == Framing::kOfRecord) report_.empty_of_records += findings->empty_records;
    for (const BlockFindings::Faulty& faulty : findings->faults) {
      report_.bad.push_back(
          {task.block.first_record + faulty.record, task.block.shard, boundaries[faulty.record], faulty.fault});
    }
    return {};
  }

  // The index is untrusted: its records must lie in their shard, in order, each with room for its framing.
  static Result<void> CheckBoundaries(const Task& task, const std::vector<uint64_t>& boundaries) {
    bool sound = boundaries.back() <= task.shard_bytes;
    for (size_t i = 1; i < boundaries.size(); ++i) {
      sound = sound && boundaries[i - 1] <= boundaries[i] &&
              boundaries[i] - boundaries[i - 1] >= FramingBytes(task.framing);
    }
    if (sound) return {};
    return Fail(
        ErrorCode::kIndex,
        StrCat(Printable(task.bytes->path()), "@", task.block.begin, ": the index has records at impossible positions"),
        "rebuild the index with `ofindex build --force`");
  }

  VerifyReport& report_;
  const unsigned threads_;
  Progress& progress_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Task> tasks_;
  bool closed_ = false;
  std::optional<Error> error_;
  std::map<uint32_t, std::string> cut_;
  std::map<uint32_t, std::string> failed_;
};

// Opens a shard and compares it with the index. Returns no file if the shard need not be read further. Errors: kIo if
// this shard cannot be read.
Result<std::optional<File>> OpenShardToCheck(uint32_t number, const ShardPaths& paths, VerifyReport& report) {
  const ShardIdentity& identity = report.shards[number].identity;
  const std::string& stored = report.shards[number].path;
  auto file = OpenIndexedShard(paths.PlaceOf(stored), paths.PathOf(stored));
  if (!file && file.error().code != ErrorCode::kStale) return tl::unexpected(std::move(file).error());
  if (!file) {
    report.stale.push_back({number, file.error().message});
    return std::nullopt;
  }
  OFINDEX_ASSIGN(const FileFacts facts, file->Facts());
  auto same = CheckShard(*file, facts, identity, FactsTrust::kIgnored);
  if (!same && same.error().code != ErrorCode::kStale) return tl::unexpected(std::move(same).error());
  if (!same) report.stale.push_back({number, same.error().message});
  if (facts.size != identity.size) return std::nullopt;
  return std::move(*file);
}

ShardPaths PathsOf(const VerifyOptions& options, const CatalogReader& catalog, const std::vector<ShardRow>& shards) {
  if (options.root.empty() || shards.empty()) return ShardPaths(FolderOf(catalog.path()), catalog.index().anchor());
  return PathsBelow(options.root, shards);
}

// Feeds the shards in order, with their blocks, which are stored in the same order.
class Feeder {
 public:
  Feeder(const VerifyOptions& options, CatalogReader& catalog, SpanCache& cache, VerifyReport& report,
         BlockCheckers& checkers, Progress& progress)
      : paths_(PathsOf(options, catalog, report.shards)),
        catalog_(catalog),
        cache_(cache),
        report_(report),
        checkers_(checkers),
        progress_(progress) {}

  // Opens the next shards, up to and including `shard`; the last one stays open.
  Result<void> OpenUpTo(uint64_t shard) {
    for (; next_ < report_.shards.size() && next_ <= shard; ++next_) {
      if (progress_.cancel) return Interrupted();
      const ShardRow& row = report_.shards[next_];
      bytes_ = nullptr;
      auto file = OpenShardToCheck(next_, paths_, report_);
      if (!file && !IsOfOneFile(file.error())) return tl::unexpected(std::move(file).error());
      if (!file) {
        report_.failed.push_back({next_, file.error().message});
      } else if (*file) {
        OFINDEX_ASSIGN(bytes_, ReadableShard(std::move(**file), next_, row, catalog_, cache_));
      }
      progress_.shards_done.fetch_add(1, std::memory_order_relaxed);
    }
    return {};
  }

  Result<void> Feed(const BlockRow& block) {
    if (block.shard >= report_.shards.size() || block.shard + uint64_t{1} < next_) {
      return Fail(ErrorCode::kIndex,
                  StrCat("the index is damaged: a block of shard ", block.shard, " is out of order"));
    }
    OFINDEX_TRY(OpenUpTo(block.shard));
    const Framing framing = report_.shards[block.shard].framing;
    const bool lacks_checksums = block.hashes.empty() && framing == Framing::kOfRecord;
    if (lacks_checksums) report_.lacks_checksums = true;
    if (lacks_checksums || !bytes_) report_.all_payloads_checked = false;
    if (!bytes_) return {};
    return checkers_.Put({bytes_, framing, report_.shards[block.shard].readable_bytes(), block});
  }

 private:
  ShardPaths paths_;
  CatalogReader& catalog_;
  SpanCache& cache_;
  VerifyReport& report_;
  BlockCheckers& checkers_;
  Progress& progress_;
  uint32_t next_ = 0;
  std::shared_ptr<const ReadableBytes> bytes_;
};

// Adds the shards whose faults were found only while reading them.
void AddFound(const std::map<uint32_t, std::string>& found, std::vector<VerifyReport::Stale>& stale) {
  for (const auto& [shard, reason] : found) {
    const auto at =
        std::lower_bound(stale.begin(), stale.end(), shard,
                         [](const VerifyReport::Stale& one, uint32_t number) { return one.shard < number; });
    if (at == stale.end() || at->shard != shard) stale.insert(at, {shard, reason});
  }
}

// Checks everything that needs only the index: that its rows are as written, and consistent.
Result<void> CheckIndex(CatalogReader& catalog) {
  OFINDEX_TRY(catalog.CheckRows());
  OFINDEX_TRY(CheckDatasetId(catalog));
  OFINDEX_TRY(catalog.Bad());
  OFINDEX_TRY(catalog.Features());
  OFINDEX_TRY(CheckCoverage(catalog));
  return catalog.ForEachCheckpoint(std::nullopt, [](const CheckpointRow&) -> Result<void> { return {}; });
}

Result<void> FeedShards(const VerifyOptions& options, CatalogReader& catalog, VerifyReport& report, SpanCache& cache,
                        BlockCheckers& checkers, Progress& progress) {
  Feeder feeder(options, catalog, cache, report, checkers, progress);
  if (!options.quick) {
    OFINDEX_TRY(catalog.ForEachBlockByShard([&](const BlockRow& block) { return feeder.Feed(block); }));
  }
  return feeder.OpenUpTo(report.shards.size());
}

// Adds the record files in DATA that are not in the index.
Result<void> AddUnindexed(const VerifyOptions& options, CatalogReader& catalog, VerifyReport& report,
                          const Progress& progress) {
  const DataSearch search{
      .index = catalog.path(), .paths = PathsOf(options, catalog, report.shards), .elsewhere = !options.root.empty()};
  OFINDEX_ASSIGN(UnindexedFiles files, FindUnindexed(catalog, report.shards, search, progress));
  for (Candidate& file : files.record_files) report.unindexed.push_back(std::move(file.stored_path));
  for (SkippedFile& file : files.skipped) {
    if (!IsUnreadable(file)) continue;
    const auto is_it = [&](const VerifyReport::Stale& one) { return report.shards[one.shard].path == file.path; };
    const bool is_known = std::any_of(report.stale.begin(), report.stale.end(), is_it) ||
                          std::any_of(report.failed.begin(), report.failed.end(), is_it);
    if (!is_known) report.unreadable.push_back(std::move(file));
  }
  return {};
}

Result<std::string> AttachedDamageOf(const IndexFile& index, CatalogReader& catalog, const Progress& progress) {
  if (!MayHaveAttachments(index.place())) return std::string();
  OFINDEX_ASSIGN(const AttachedIndex attached, ReadAttachedIndex(catalog, index.place(), index.path()));
  return FindAttachmentDamage(attached, progress);
}

}  // namespace

Result<VerifyReport> VerifyDataset(const VerifyOptions& options, Progress& progress) {
  std::shared_ptr<const IndexFile> index = options.opened;
  if (!index) {
    OFINDEX_ASSIGN(index, IndexFile::Open(options.index));
  }
  OFINDEX_ASSIGN(CatalogReader catalog, CatalogReader::Open(index));
  OFINDEX_TRY(CheckIndex(catalog));
  VerifyReport report;
  OFINDEX_ASSIGN(MapDamage map_damage, FindMapDamage(*index, progress));
  report.map_damage = std::move(map_damage.what);
  OFINDEX_ASSIGN(const std::vector<ShardRow> pieces, catalog.Pieces());
  report.shards = ShardFiles(pieces).rows;
  report.gone_records = GoneRecords(pieces);
  OFINDEX_ASSIGN(report.damage, catalog.Damage());
  progress.shards_total = report.shards.size();
  for (const ShardRow& shard : report.shards) progress.bytes_total += options.quick ? 0 : shard.readable_bytes();

  const unsigned threads = options.threads != 0 ? options.threads : ProcessorCount();
  SpanCache cache(kCacheBytes + threads * kCacheBytesPerThread);
  BlockCheckers checkers(report, threads, progress);
  OFINDEX_ASSIGN(std::thread checking, StartThread([&] { RunOnThreads(threads, [&](unsigned) { checkers.Work(); }); }));
  const Result<void> fed = WithMemory("the blocks of a shard",
                                      [&] { return FeedShards(options, catalog, report, cache, checkers, progress); });
  static_cast<void>(checkers.Close());
  checking.join();
  OFINDEX_TRY(fed);
  if (checkers.error()) return tl::unexpected(*checkers.error());
  AddFound(checkers.cut(), report.stale);
  AddFound(checkers.failed(), report.failed);
  const bool all_read = checkers.cut().empty() && report.failed.empty();
  if (options.quick || !all_read) report.all_payloads_checked = false;
  OFINDEX_ASSIGN(report.key_damage, FindKeyDamage(index, progress));
  OFINDEX_ASSIGN(report.attached_damage, AttachedDamageOf(*index, catalog, progress));
  OFINDEX_TRY(AddUnindexed(options, catalog, report, progress));
  std::sort(report.bad.begin(), report.bad.end(), [](const auto& a, const auto& b) { return a.record < b.record; });
  return report;
}

std::vector<StaleFile> StaleFiles(const VerifyReport& report) {
  std::vector<StaleFile> files;
  for (const auto* shards : {&report.stale, &report.failed}) {
    for (const VerifyReport::Stale& one : *shards) files.push_back({report.shards[one.shard].path, one.reason});
  }
  for (const std::string& path : report.unindexed) files.push_back({path, kNotInIndex});
  for (const SkippedFile& file : report.unreadable) files.push_back({file.path, file.reason});
  return files;
}

}  // namespace ofindex
