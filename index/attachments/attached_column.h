#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "index/columns/column.h"
#include "index/columns/distinct_sketch.h"

namespace ofindex {

/// Where the values of an attached column come from.
struct AttachedOrigin {
  std::string table;    ///< the name of the table, as the user gave it
  std::string key;      ///< the column or feature by which rows were matched with records; `_id`: by ordinals
  int64_t seconds = 0;  ///< when it was attached, since 1970, UTC

  /// Returns "attached 2026-11-28 10:39:03 from scores.csv by filename"; the time is UTC.
  [[nodiscard]] std::string Text() const;
};

/// A chunk of an attached column, in its file.
struct AttachedChunk {
  ChunkRow row;     ///< without data; `block` counts from 1 in the index, blocks of missing shards included
  uint64_t at = 0;  ///< where the data begin, among those of all chunks
  uint64_t bytes = 0;
};

/// A column that was attached to the records of a dataset: a name, and a chunk for each block in which a record has a
/// value.
struct AttachedColumn {
  std::string name;  ///< in SQL
  AttachedOrigin origin = {};
  uint8_t kinds = 0;           ///< as in FeatureRow
  bool has_text = false;       ///< some bytes value is TEXT
  bool has_blob = false;       ///< some is a BLOB
  uint64_t largest_bytes = 0;  ///< size of the largest bytes value
  DistinctSketch sketch = {};
  std::vector<AttachedChunk> chunks = {};  ///< by block, ascending
};

/// A block of the records to which columns were attached.
struct AttachedBlock {
  uint64_t first_record = 0;
  uint32_t records = 0;

  friend bool operator==(const AttachedBlock&, const AttachedBlock&) = default;
};

}  // namespace ofindex
