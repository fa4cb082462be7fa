#pragma once

#include <atomic>
#include <cstddef>
#include <utility>

#include "mmap/batch/hot_block_cache.h"
#include "mmap/batch/viewed_records.h"
#include "mmap/offsets/offset_map.h"
#include "mmap/read_planner.h"
#include "mmap/reader_options.h"
#include "mmap/shard_paths.h"
#include "mmap/shard_table.h"

namespace ofindex {

/// What the read paths of one RecordReader share: its open shards and caches. Thread-safe; usable after fork.
struct ReaderState {
  /// `map` must outlive this object.
  ReaderState(const OffsetMap& map, ShardPaths paths, const ReaderOptions& options)
      : shards(map, std::move(paths), options),
        ready(map),
        viewed(options.inflated_cache_bytes, map.header().streams != 0 ? kViewedBuckets : 1),
        planner(map, shards, ready, options.allow_bad) {}

  static constexpr size_t kViewedBuckets = size_t{1} << 16;

  const ShardTable shards;
  HotBlockCache ready;
  ViewedRecords viewed;
  const ReadPlanner planner;
  std::atomic<bool> cold{false};  ///< the last batch waited for the disk
};

}  // namespace ofindex
