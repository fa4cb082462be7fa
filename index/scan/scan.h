#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "base/file.h"
#include "base/progress.h"
#include "base/result.h"
#include "index/columns/column_choice.h"
#include "index/scan/block_queue.h"
#include "index/shards/shard_probe.h"
#include "index/walk/inflating_walk.h"
#include "proto/extract/field_plan.h"

namespace ofindex {

/// Options of a scan, apart from record boundaries.
struct ScanOptions {
  bool check_payloads = false;       ///< check the checksum of every payload, and compute its hash
  ColumnChoice columns;              ///< features to extract, and what to derive from them
  std::optional<FieldPlan> message;  ///< how to decode all payloads; none: by the payload kind of each shard
  unsigned threads = 1;              ///< threads that may compute at once
  InflateOptions inflate = {};       ///< for compressed shards
  uint64_t segment_bytes = 0;        ///< of uncompressed TFRecord shards; 0: by their size
};

/// Walks all shards of a dataset and turns them into blocks, on several threads.
///
/// A thread either walks a shard or processes the payloads of a block that another thread has walked, so that one large
/// shard keeps as many threads busy as many small ones. While no thread is idle, a thread that walks small records
/// extracts their columns during the walk, and they are read once. Compressed shards are inflated once, and their
/// payloads are processed during the walk. If records are large, more shards are walked at once than there are
/// processors, because a walk from header to header mostly waits for the disk; if there are also few shards,
/// speculative segment scans run ahead in them. They also run ahead in a shard of small records that is larger than a
/// thread's share of the dataset.
class DatasetScan {
 public:
  /// All arguments must outlive the scan.
  DatasetScan(const std::vector<ProbedShard>& shards, const ScanOptions& options, BlockQueue& queue,
              Progress& progress);

  /// Scans until everything is in the queue or the queue was aborted. Errors go into the queue.
  void Run();

 private:
  // A walked block; `file` is set if its payloads are to be processed.
  struct Task {
    size_t shard;
    size_t number;
    std::shared_ptr<const File> file;
    BuiltBlock block;
    std::vector<uint64_t> boundaries;
  };

  // State of a thread that processes payloads: an extractor for each kind of payload.
  class Extractors;

  void Work();
  void WalkShard(size_t shard, Extractors& extractors);
  [[nodiscard]] Result<void> WalkBlocks(size_t shard, const File& file, Extractors& extractors);
  [[nodiscard]] Result<void> WalkCompressed(size_t shard, File file, Extractors& extractors);
  [[nodiscard]] Result<std::shared_ptr<const File>> OpenForPayloads(const ProbedShard& shard) const;
  [[nodiscard]] bool ExtractsDuringWalk(const ProbedShard& shard, uint64_t record_bytes);
  void Dispatch(Task task, Extractors& extractors);
  [[nodiscard]] bool TryEnqueue(Task& task);
  void ProcessPayloads(Task task, Extractors& extractors);
  void Deliver(size_t shard, size_t number, BuiltBlock block);
  [[nodiscard]] bool ReadsPayloads(const ProbedShard& shard) const {
    return options_.check_payloads || Extracts(shard);
  }
  [[nodiscard]] bool Extracts(const ProbedShard& shard) const;
  [[nodiscard]] unsigned SpeculativeThreadsFor(const ProbedShard& shard) const;
  [[nodiscard]] unsigned SmallRecordChains(const ProbedShard& shard) const;
  [[nodiscard]] size_t Walkers() const;

  const std::vector<ProbedShard>& shards_;
  const ScanOptions& options_;
  BlockQueue& queue_;
  Progress& progress_;
  const size_t large_shards_;
  const uint64_t total_bytes_;  // of all shards
  const bool reads_payloads_;   // payloads of some shard are processed

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Task> tasks_;
  size_t next_shard_ = 0;
  unsigned walking_ = 0;
  size_t idle_ = 0;  // threads that wait for work
};

}  // namespace ofindex
