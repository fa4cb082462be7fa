#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "index/chunks/chunk.h"
#include "index/columns/column.h"
#include "query/aggregates/block_groups.h"
#include "query/aggregates/group_index.h"
#include "query/aggregates/sum_state.h"
#include "query/columns/column_store.h"
#include "query/stats/group_sums.h"

namespace ofindex {

/// An argument of aggregate functions: a column that is no list, and what the functions need of it.
struct Argument {
  uint32_t column = 0;
  bool counts = false;    ///< count()
  bool sums = false;      ///< sum(), total(), avg(); not for a column that may hold bytes
  bool bounds = false;    ///< min(), max()
  bool distinct = false;  ///< count(DISTINCT x), and if there are no bytes, sum(DISTINCT x), ...
};

/// The sums that SQLite computes over a column, as far as they are known before the values are read.
enum class SumKind : uint8_t {
  kExact,    ///< integers whose absolute values have a sum of at most 2^53: the same in any order
  kBounded,  ///< reals whose sum cannot become infinite
  kAny,
};

/// Errors: those of ColumnStore::ZonesOf.
[[nodiscard]] Result<SumKind> SumKindOf(ColumnStore& store, const Column& column);

/// The results of one argument, by group. Blocks are added in order.
class ArgumentStates {
 public:
  /// Errors: those of ColumnStore::ZonesOf.
  [[nodiscard]] static Result<ArgumentStates> Of(ColumnStore& store, const Argument& argument, SumRule rule);

  /// The part of one block.
  struct Part {
    std::shared_ptr<const Chunk> chunk;
    std::vector<GroupSum> sums;          // by the block's group; min and max view the chunk
    std::optional<BlockGroups> divided;  // by the values of the chunk
  };

  /// Prepares a block, in which the argument has the values `chunk`. Thread-safe.
  [[nodiscard]] Part Prepare(const BlockGroups& groups, std::shared_ptr<const Chunk> chunk) const;

  /// Adds a block, whose group g, if it has records, is group `numbers[g]` of all, of `size` groups.
  void Add(const BlockGroups& groups, const Part& part, std::span<const uint32_t> numbers, uint32_t size);

  [[nodiscard]] const Argument& argument() const { return argument_; }

  // The count and sums of a group's values, the least and the greatest; the count and sums of its distinct values. NULL
  // is no value.
  [[nodiscard]] const SumState& sum(uint32_t group) const { return sums_[group]; }
  [[nodiscard]] const ColumnValue& min(uint32_t group) const { return mins_[group]; }
  [[nodiscard]] const ColumnValue& max(uint32_t group) const { return maxs_[group]; }
  [[nodiscard]] const SumState& distinct(uint32_t group) const { return distinct_[group]; }

  [[nodiscard]] uint64_t memory() const;  ///< approximate bytes in use

 private:
  ArgumentStates(const Argument& argument, SumRule rule, bool in_order)
      : argument_(argument), rule_(rule), in_order_(in_order) {}

  void AddSums(const BlockGroups& groups, const Part& part, std::span<const uint32_t> numbers);
  void AddBounds(const Part& part, std::span<const uint32_t> numbers);
  void AddDistinct(const BlockGroups& groups, const Part& part, std::span<const uint32_t> numbers);

  Argument argument_;
  SumRule rule_;
  bool in_order_;  // values must be summed one after the other
  std::vector<SumState> sums_;
  std::vector<ColumnValue> mins_;
  std::vector<ColumnValue> maxs_;
  uint64_t bound_bytes_ = 0;  // in mins_ and maxs_
  GroupIndex pairs_{2};       // a group and a value
  std::vector<SumState> distinct_;
};

}  // namespace ofindex
