#pragma once

#include <memory>
#include <string>

#include "base/progress.h"
#include "base/result.h"
#include "index/catalog/catalog.h"
#include "index/database/index_file.h"
#include "index/output/atomic_file.h"
#include "mmap/offsets/offset_map.h"

namespace ofindex {

/// An index and its map, from one build. A value type.
struct OpenedIndex {
  std::shared_ptr<const IndexFile> index;
  std::shared_ptr<const OffsetMap> map;  ///< null until it is first requested
};

/// Returns a shard as the map stores it; its path is a view of `row`'s.
[[nodiscard]] inline MapShard MapShardOf(const ShardRow& row) {
  return {.path = row.path,
          .framing = row.framing,
          .payload = row.payload,
          .identity = row.identity,
          .first_record = row.first_record,
          .records = row.records,
          .compression = row.compression,
          .inflated_bytes = row.inflated_bytes,
          .gone = row.is_gone()};
}

/// Writes the map of the index at `index`, which may not be published yet, to the open `map`. Errors: kIndex, kIo,
/// kInterrupted.
[[nodiscard]] Result<void> WriteMapOf(const std::string& index, const AtomicFile& map, const Progress& progress);

/// Opens the index at `path` and its map. A map is bound to its index by the index's identity (IdentityOf). A map that
/// is missing, damaged or from another build is rebuilt from the index silently: next to it or, if that cannot be
/// written, in the user's cache folder. Concurrent processes wait for the one that builds it. If the index is replaced
/// meanwhile, it is opened again. Errors: kNotFound, kIndex, kIo, kLimit; kStale if the index keeps being replaced;
/// kInterrupted if `progress.cancel` was set while waiting for the map or building it.
[[nodiscard]] Result<OpenedIndex> OpenIndex(const std::string& path, const Progress& progress = {});

/// Damage on which readers of an index fail: it is in the map that they use and, since that map is bound to the index,
/// they do not rebuild it.
struct MapDamage {
  std::string path;  ///< of the map: next to the index, or in the user's cache folder
  std::string what;  ///< names the map and the byte; empty if there is no damage
};

/// Reads the whole map that readers of `index` use. A map that is missing, or that the next reader rebuilds by itself,
/// counts as sound. Errors: kStale, kLimit; kInterrupted if `progress.cancel` was set.
[[nodiscard]] Result<MapDamage> FindMapDamage(const IndexFile& index, const Progress& progress);

/// Rebuilds the map if FindMapDamage finds damage. Returns what was damaged, or an empty string. Errors: those of
/// FindMapDamage and OpenMap.
[[nodiscard]] Result<std::string> RepairMap(const std::shared_ptr<const IndexFile>& index, const Progress& progress);

/// Opens the map of `index`. Errors: those of OpenIndex; kStale if the index and its map were replaced after `index`
/// was opened.
[[nodiscard]] Result<OffsetMap> OpenMap(const std::shared_ptr<const IndexFile>& index, const Progress& progress = {});

}  // namespace ofindex
