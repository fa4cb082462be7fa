#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "index/chunks/chunk.h"
#include "query/aggregates/argument_states.h"
#include "query/aggregates/block_run.h"
#include "query/aggregates/group_index.h"
#include "query/aggregates/sum_state.h"
#include "query/columns/column_store.h"
#include "query/columns/value_order.h"
#include "query/filter/predicate.h"

namespace ofindex {

/// A grouped table: the columns whose values make the groups, and the arguments of aggregate functions. Columns are
/// numbers in ColumnStore::columns(), or those of computed columns after them, and no lists.
struct GroupRequest {
  struct Key {
    uint32_t column = 0;
    bool descending = false;

    [[nodiscard]] bool operator==(const Key&) const = default;
  };
  std::vector<Key> keys;  ///< the order of the groups; none: all records are one group
  std::vector<Argument> arguments;
  ComputedColumns computed = {};
};

/// Compares two rows by the keys of an order: `a(i)` and `b(i)` are their values of key i. Returns less than, equal to
/// or greater than 0.
template <typename A, typename B>
[[nodiscard]] int CompareByKeys(std::span<const GroupRequest::Key> keys, A a, B b) {
  for (size_t i = 0; i < keys.size(); ++i) {
    const int order = CompareValues(a(i), b(i));
    if (order != 0) return (order < 0) != keys[i].descending ? -1 : 1;
  }
  return 0;
}

/// The records that meet a predicate, in groups. Blocks are grouped on all threads of the store, and added in order, so
/// that the result does not depend on the threads. Not thread-safe; the store must outlive it.
class Grouping {
 public:
  /// Errors: those of ColumnStore::ZonesOf.
  [[nodiscard]] static Result<Grouping> Of(ColumnStore& store, const GroupRequest& request, Predicate predicate,
                                           SumRule rule);

  /// Adds blocks with at least `records` records, or all that are left. Errors: those of Predicate::Evaluate and
  /// ColumnStore::Load.
  [[nodiscard]] Result<void> Advance(uint64_t records);

  /// Returns true once all blocks are added.
  [[nodiscard]] bool complete() const { return next_block_ == store_->blocks().size(); }

  // Groups are numbered from 0 in the order of their first records.
  [[nodiscard]] uint32_t size() const { return static_cast<uint32_t>(rows_.size()); }
  [[nodiscard]] int64_t rows(uint32_t group) const { return rows_[group]; }  ///< number of records

  /// Returns key `i` of `group`, that of its first record; valid until the next call of Advance.
  [[nodiscard]] Chunk::Value Key(uint32_t group, size_t i) const { return index_.Key(group, i); }

  [[nodiscard]] const ArgumentStates& argument(size_t i) const { return arguments_[i]; }

  /// Returns all groups in the order of their keys, as ORDER BY would have it. Calls `check` before each step, and ends
  /// if it fails; a step sorts 65,536 groups, or merges any number of sorted ones. Errors: those of `check`.
  using Check = std::function<Result<void>()>;
  [[nodiscard]] Result<std::vector<uint32_t>> Sorted(const Check& check) const;

  [[nodiscard]] uint64_t memory() const;  ///< approximate bytes in use, also while they are sorted

 private:
  struct Block {
    BlockGroups groups;
    std::vector<ArgumentStates::Part> parts;  // by argument
  };

  Grouping(ColumnStore& store, const GroupRequest& request, Predicate predicate);

  /// Returns true if the number of selected records is all that is asked for.
  [[nodiscard]] bool only_counts() const { return keys_.empty() && arguments_.empty(); }

  [[nodiscard]] Result<std::vector<Block>> Prepare(const BlockRun& run) const;
  [[nodiscard]] Result<std::optional<Block>> PrepareAtOnce(const BlockRun& run) const;
  void Add(const Block& block);
  [[nodiscard]] std::vector<uint64_t> Places() const;

  ColumnStore* store_;
  std::vector<GroupRequest::Key> keys_;
  ComputedColumns computed_;
  Predicate predicate_;
  uint64_t next_block_ = 0;
  GroupIndex index_;
  std::vector<int64_t> rows_;
  std::vector<ArgumentStates> arguments_;
};

}  // namespace ofindex
