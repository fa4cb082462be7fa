#pragma once

#include <memory>
#include <string>

#include "base/progress.h"
#include "base/result.h"
#include "index/catalog.h"
#include "index/index_file.h"
#include "mmap/offset_map.h"

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
/// missing, damaged or of another build is made anew from the index, silently: beside it or, where that cannot be
/// written, in the user's cache folder. Several processes that come together wait for the one that makes it. An index
/// that is replaced meanwhile is opened again. Errors: kNotFound, kIndex, kIo, kLimit; kStale  it is replaced all the
/// time; kInterrupted  `progress.cancel` was set while the map was waited for or made.
[[nodiscard]] Result<OpenedIndex> OpenIndex(const std::string& path, const Progress& progress = {});

/// Reads all of the map beside `index`. Errors: kIndex  it is a map of this index, and damaged: reading would stop at
/// the damage. A map that the next reader makes anew by itself is none.
[[nodiscard]] Result<void> CheckMap(const IndexFile& index);

/// Makes the map beside `index` again if CheckMap finds it damaged. Returns what was wrong with it, or nothing. Errors:
/// those of OpenMap.
[[nodiscard]] Result<std::string> MendMap(const std::shared_ptr<const IndexFile>& index, const Progress& progress);

/// Opens the map of `index`. Errors: those of OpenIndex; kStale  the index was replaced since it was opened, and the
/// map with it.
[[nodiscard]] Result<OffsetMap> OpenMap(const std::shared_ptr<const IndexFile>& index, const Progress& progress = {});

}  // namespace ofindex
