#pragma once

#include <memory>
#include <string>

#include "base/progress.h"
#include "base/result.h"
#include "index/catalog/catalog.h"
#include "index/database/index_file.h"
#include "mmap/offsets/offset_map.h"

namespace ofindex {

/// An index and its map, of one build. A value.
struct OpenedIndex {
  std::shared_ptr<const IndexFile> index;
  std::shared_ptr<const OffsetMap> map;  ///< null where nobody has asked for it yet
};

/// A shard as the map has it; its path is `row`'s.
[[nodiscard]] inline MapShard MapShardOf(const ShardRow& row) {
  return {.path = row.path,
          .framing = row.framing,
          .payload = row.payload,
          .identity = row.identity,
          .first_record = row.first_record,
          .records = row.records,
          .compression = row.compression,
          .inflated_bytes = row.inflated_bytes};
}

/// Opens the index at `path` and its map. A map is bound to its index by the index's identity (IdentityOf); one that is
/// missing, damaged or of another build is made again from the index, silently: beside it or, where that cannot be
/// written, in the user's cache folder. Several processes that come together wait for the one that makes it. An index
/// that is replaced meanwhile is opened again. Errors: kNotFound, kIndex, kIo, kLimit; kStale  it is replaced all the
/// time; kInterrupted  `progress.cancel` was set while the map was waited for or made.
[[nodiscard]] Result<OpenedIndex> OpenIndex(const std::string& path, const Progress& progress = {});

/// Damage at which readers of an index stop: in its map, which is bound to it all the same.
struct MapDamage {
  std::string path;  ///< of the map: beside the index, or in the user's cache folder
  std::string what;  ///< names the map and the byte; empty if there is no damage
};

/// Reads all of the map that readers of `index` use. A map that is missing, or that the next reader replaces by itself,
/// counts as sound. Errors: kStale, kLimit; kInterrupted  `progress.cancel` was set.
[[nodiscard]] Result<MapDamage> FindMapDamage(const IndexFile& index, const Progress& progress);

/// Writes the map again if FindMapDamage finds damage. Returns what was damaged, or nothing. Errors: those of both and
/// of OpenMap.
[[nodiscard]] Result<std::string> MendMap(const std::shared_ptr<const IndexFile>& index, const Progress& progress);

/// Opens the map of `index`. Errors: those of OpenIndex; kStale  the index was replaced since it was opened, and the
/// map with it.
[[nodiscard]] Result<OffsetMap> OpenMap(const std::shared_ptr<const IndexFile>& index, const Progress& progress = {});

}  // namespace ofindex
