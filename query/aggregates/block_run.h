#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/result.h"
#include "index/chunks/chunk.h"
#include "query/aggregates/computed_column.h"
#include "query/columns/column_store.h"
#include "query/filter/predicate.h"
#include "query/filter/selection.h"

namespace ofindex {

/// Consecutive blocks whose records are grouped at once: one, or small ones with up to kBlockRecords records together.
/// What is found for each block, such as its groups, then takes less time than the records themselves.
struct BlockRun {
  uint64_t first = 0;
  uint64_t count = 0;
  uint32_t records = 0;  ///< of all its blocks
};

/// Returns the runs from block `first` on, until they have at least `records` records or no block is left.
[[nodiscard]] std::vector<BlockRun> RunsFrom(const ColumnStore& store, uint64_t first, uint64_t records);

/// Returns the records of a run that meet a predicate, as one bitmap. Errors: those of Predicate::Evaluate.
[[nodiscard]] Result<BlockSelection> SelectIn(const ColumnStore& store, const Predicate& predicate,
                                              const BlockRun& run);

/// The chunks of some columns, by the columns' numbers.
using LoadedColumns = std::vector<std::pair<uint32_t, std::shared_ptr<const Chunk>>>;

[[nodiscard]] const std::shared_ptr<const Chunk>& ChunkOf(const LoadedColumns& columns, uint32_t column);

/// Returns chunks of all records of a run; nothing if the run has several blocks, whose chunks are no numbers or differ
/// in form. Errors: those of ColumnStore::Load.
[[nodiscard]] Result<std::optional<LoadedColumns>> LoadColumns(ColumnStore& store, const ComputedColumns& computed,
                                                               std::span<const uint32_t> columns, const BlockRun& run);

}  // namespace ofindex
