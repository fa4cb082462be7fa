#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>

#include "base/progress.h"
#include "base/result.h"
#include "base/text.h"
#include "query/columns/column_store.h"

namespace ofindex {

/// Fails if `column` has lists, whose records have no single value. `use` says what the column is needed for.
[[nodiscard]] inline Result<void> CheckSingle(const Column& column, const char* use) {
  if (!column.is_list()) return {};
  return Fail(ErrorCode::kUsage,
              StrCat("column '", Printable(column.name), "' has lists; ", use, " needs one value per record"),
              "use a column with one value per record");
}

/// Fails with kOutOfRange if there are fewer than `records` ordinals.
[[nodiscard]] inline Result<void> CheckRecords(const ColumnStore& store, uint64_t records) {
  if (records <= store.ordinals()) return {};
  return Fail(ErrorCode::kOutOfRange,
              StrCat("expected at least ", Counted(records, "record"), ", got ", store.ordinals()));
}

/// Calls `body(first, count, chunk)`, which returns a Result<void>, for each block with ordinals below `records`: the
/// block's first ordinal, how many of its records are included, and their column. `cancel` may be null. Needs memory
/// for one chunk in addition to the store's cache. Errors: kOutOfRange if there are fewer records; kInterrupted; those
/// of `body` and of ColumnStore::Load.
template <typename Body>
[[nodiscard]] Result<void> ForEachChunk(ColumnStore& store, const Column& column, uint64_t records,
                                        const std::atomic<bool>* cancel, Body body) {
  OFINDEX_TRY(CheckRecords(store, records));
  for (uint64_t block = 0; block < store.blocks().size(); ++block) {
    const BlockMetadata& head = store.blocks()[block];
    if (head.first_record >= records) break;
    if (cancel != nullptr && *cancel) return Interrupted();
    OFINDEX_ASSIGN(const std::shared_ptr<const Chunk> chunk, store.Load(column, block));
    OFINDEX_TRY(body(head.first_record, std::min<uint64_t>(head.records, records - head.first_record), *chunk));
  }
  return {};
}

}  // namespace ofindex
