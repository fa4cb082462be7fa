#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "index/chunks/chunk.h"
#include "query/aggregates/computed_steps.h"
#include "query/columns/column_store.h"

namespace ofindex {

/// An expression over columns of numbers: what SQLite 3 computes for +, -, *, /, % and CAST to INTEGER or REAL, to the
/// last bit. Immutable; any number of threads may use it.
class ComputedColumn {
 public:
  using Number = ComputedNumber;
  using Step = ComputedStep;

  /// The last step, of at least one, computes the result. No column may hold bytes or lists. `text` is shown by
  /// EXPLAIN QUERY PLAN.
  ComputedColumn(std::vector<Step> steps, std::string text) : steps_(std::move(steps)), text_(std::move(text)) {}

  [[nodiscard]] const std::string& text() const { return text_; }

  /// Returns the values of a block's records. Errors: those of ColumnStore::Load.
  [[nodiscard]] Result<std::shared_ptr<const Chunk>> Compute(ColumnStore& store, uint64_t block) const;

  /// Returns true if all values are surely integers or NULL, because each step stays in the range of integers. Errors:
  /// those of ColumnStore::ZonesOf.
  [[nodiscard]] Result<bool> IsIntegral(ColumnStore& store) const;

 private:
  std::vector<Step> steps_;
  std::string text_;
};

/// Computed columns, which have the numbers after those of the store's columns.
using ComputedColumns = std::vector<std::shared_ptr<const ComputedColumn>>;

/// Returns column number `column` of a store with `computed` in `block`. Errors: those of ColumnStore::Load.
[[nodiscard]] Result<std::shared_ptr<const Chunk>> LoadColumn(ColumnStore& store, const ComputedColumns& computed,
                                                              uint32_t column, uint64_t block);

}  // namespace ofindex
