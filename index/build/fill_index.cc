#include "index/build/fill_index.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <thread>
#include <utility>

#include "base/allocation.h"
#include "base/threads.h"
#include "index/scan/block_queue.h"

namespace ofindex {
namespace {

// Limit on blocks that are built but not yet written: an encoded one takes some 100 KiB, with hashes six times that.
constexpr uint64_t kQueuedBytes = uint64_t{32} << 20;

Result<std::vector<WalkedRange>> ScanInto(const std::vector<ProbedShard>& shards, const ScanOptions& options,
                                          SavedShards& saved, std::chrono::milliseconds save_after, IndexWriter& writer,
                                          Progress& progress) {
  const auto begin = std::chrono::steady_clock::now();
  std::vector<WalkedRange> walked;
  Result<void> scanned = ScanShards(shards, options, progress, [&](BlockQueue& queue) -> Result<void> {
    for (size_t i = 0; i < shards.size(); ++i) {
      const auto passed =
          std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin);
      const bool saves = shards.size() > 1 && passed >= save_after;
      writer.BeginShard(shards[i]);
      for (;;) {
        OFINDEX_ASSIGN(std::optional<BuiltBlock> block, queue.Take(i));
        if (!block) break;
        if (saves) saved.Add(i, *block);
        OFINDEX_TRY(writer.AddBlock(std::move(*block)));
      }
      ShardFindings findings = queue.TakeFindings(i);
      if (saves) saved.End(i, findings);
      walked.push_back(findings.walked);
      OFINDEX_TRY(writer.EndShard(std::move(findings)));
    }
    return {};
  });
  if (!scanned) return tl::unexpected(std::move(scanned).error());
  return walked;
}

// Scans and saves the shards that are not saved. Afterwards, some may be missing again.
Result<void> SaveMissing(const std::vector<ProbedShard>& shards, const ScanOptions& options, SavedShards& saved,
                         Progress& progress) {
  std::vector<ProbedShard> missing;
  std::vector<size_t> numbers;
  for (size_t i = 0; i < shards.size(); ++i) {
    if (saved.Has(i)) continue;
    missing.push_back(shards[i]);
    numbers.push_back(i);
  }
  return ScanShards(missing, options, progress, [&](BlockQueue& queue) -> Result<void> {
    for (size_t i = 0; i < missing.size(); ++i) {
      for (;;) {
        OFINDEX_ASSIGN(const std::optional<BuiltBlock> block, queue.Take(i));
        if (!block) break;
        saved.Add(numbers[i], *block);
      }
      saved.End(numbers[i], queue.TakeFindings(i));
      if (saved.failed()) return Fail(ErrorCode::kIo, "cannot save a shard");
    }
    return {};
  });
}

Result<std::vector<WalkedRange>> WriteSaved(const std::vector<ProbedShard>& shards, const SavedShards& saved,
                                            IndexWriter& writer, const Progress& progress) {
  std::vector<WalkedRange> walked;
  const auto write = [&](BuiltBlock block) -> Result<void> {
    if (progress.cancel) return Interrupted();
    return writer.AddBlock(std::move(block));
  };
  for (size_t i = 0; i < shards.size(); ++i) {
    writer.BeginShard(shards[i]);
    OFINDEX_ASSIGN(ShardFindings findings, saved.Read(i, write));
    walked.push_back(findings.walked);
    OFINDEX_TRY(writer.EndShard(std::move(findings)));
  }
  return walked;
}

// Counts what is saved as done.
void CountSaved(const std::vector<ProbedShard>& shards, const SavedShards& saved, Progress& progress) {
  uint64_t bytes = 0;
  for (size_t i = 0; i < shards.size(); ++i) bytes += saved.Has(i) ? shards[i].bytes() : 0;
  progress.bytes_done = bytes;
  progress.shards_done = saved.shards();
  progress.records_done = saved.records();
}

// Forgets what is damaged, and counts it no longer.
Result<void> ForgetDamaged(const std::vector<ProbedShard>& shards, SavedShards& saved, Progress& progress) {
  return WithMemory("the index", [&]() -> Result<void> {
    const uint64_t before = saved.records();
    saved.ForgetDamaged(progress.cancel);
    const uint64_t lost = before - saved.records();
    progress.records_resumed -= std::min<uint64_t>(lost, progress.records_resumed);
    CountSaved(shards, saved, progress);
    return {};
  });
}

}  // namespace

Result<void> ScanShards(const std::vector<ProbedShard>& shards, const ScanOptions& options, Progress& progress,
                        const std::function<Result<void>(BlockQueue&)>& take) {
  BlockQueue queue(shards.size(), kQueuedBytes);
  DatasetScan scan(shards, options, queue, progress);
  OFINDEX_ASSIGN(std::thread scanning, StartThread([&] { scan.Run(); }));
  Result<void> taken = WithMemory("the index", [&] { return take(queue); });
  if (!taken) queue.Abort(taken.error());
  scanning.join();
  return taken;
}

Result<std::vector<WalkedRange>> FillIndex(const std::vector<ProbedShard>& shards, const ScanOptions& options,
                                           SavedShards& saved, std::chrono::milliseconds save_after,
                                           IndexWriter& writer, Progress& progress) {
  if (saved.shards() == 0) return ScanInto(shards, options, saved, save_after, writer, progress);
  CountSaved(shards, saved, progress);
  progress.records_resumed = saved.records();
  // Twice, if a power failure has destroyed what was saved; more often only if the disk destroys it now.
  for (int tries = 0; tries < 2; ++tries) {
    if (saved.shards() < shards.size()) {
      Result<void> scanned = SaveMissing(shards, options, saved, progress);
      if (!scanned && !saved.failed()) return tl::unexpected(std::move(scanned).error());
    }
    if (saved.failed() || !saved.LeavesRoom()) break;
    OFINDEX_TRY(ForgetDamaged(shards, saved, progress));
    if (saved.shards() < shards.size()) continue;
    return WithMemory("the index", [&] { return WriteSaved(shards, saved, writer, progress); });
  }
  saved.Remove();  // the disk is full, for example
  for (auto* count : {&progress.bytes_done, &progress.shards_done, &progress.records_done, &progress.records_resumed}) {
    *count = 0;
  }
  return ScanInto(shards, options, saved, save_after, writer, progress);
}

}  // namespace ofindex
