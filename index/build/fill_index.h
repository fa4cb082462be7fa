#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "index/build/index_writer.h"
#include "index/resume/saved_shards.h"
#include "index/scan/block_queue.h"
#include "index/scan/scan.h"
#include "index/shards/shard_probe.h"
#include "index/walk/walk_range.h"

namespace ofindex {

/// Scans the shards on other threads, while `take` takes the blocks from the queue, shard by shard. Errors: those of
/// the scan, and of `take`.
[[nodiscard]] Result<void> ScanShards(const std::vector<ProbedShard>& shards, const ScanOptions& options,
                                      Progress& progress, const std::function<Result<void>(BlockQueue&)>& take);

/// Scans all shards into `writer`, and returns where the walk of each began and ended.
///
/// After `save_after`, each shard that ends is also saved in `saved`, for the next build if this one is killed. If
/// `saved` has shards of an earlier build, only the others are scanned and saved, and then the index is written of
/// saved shards alone: so a build that is killed over and over scans each shard about once, and never writes what it
/// has scanned more than twice. The result is the same. Errors: those of the scan and of the writer.
[[nodiscard]] Result<std::vector<WalkedRange>> FillIndex(const std::vector<ProbedShard>& shards,
                                                         const ScanOptions& options, SavedShards& saved,
                                                         std::chrono::milliseconds save_after, IndexWriter& writer,
                                                         Progress& progress);

}  // namespace ofindex
