#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/result.h"
#include "index/columns/column.h"
#include "query/aggregates/grouping.h"
#include "query/columns/column_store.h"
#include "query/filter/value_filter.h"

namespace ofindex {

/// The first records in the order of some columns, as ORDER BY would have it; records with equal values in the order of
/// their ordinals. No column is a list. The worst record found so far is a bound for the rest, so that zone maps and
/// kernels rule out almost all of them. Not thread-safe; the store must outlive it.
class OrderedRecords {
 public:
  /// Called often, by the calling thread, with the bytes of the texts and blobs held; an error ends the search.
  using Check = std::function<Result<void>(uint64_t bytes)>;

  OrderedRecords(ColumnStore& store, std::vector<GroupRequest::Key> order, std::vector<Constraint> constraints)
      : store_(&store), order_(std::move(order)), constraints_(std::move(constraints)) {}

  /// Returns the approximate memory, in bytes, for finding `count` records in the order of `columns` values, without
  /// the bytes of texts and blobs.
  [[nodiscard]] static uint64_t MemoryOf(uint64_t count, size_t columns) {
    return count * (sizeof(Candidate) + columns * sizeof(ColumnValue) + sizeof(uint64_t));
  }

  /// Returns the first `count` records that meet the constraints, or all if there are fewer.
  /// Errors: those of Predicate::Evaluate and ColumnStore::Load; those of `check`.
  [[nodiscard]] Result<std::vector<uint64_t>> First(uint64_t count, const Check& check) const;

 private:
  struct Candidate {
    std::vector<ColumnValue> values;  // by column of the order
    uint64_t ordinal;
  };

  /// The best candidates so far, in order.
  struct Best {
    std::vector<Candidate> all;
    uint64_t bytes = 0;  // of their texts and blobs
  };

  [[nodiscard]] Result<void> Find(Constraint first, uint64_t count, const Check& check, Best& found) const;
  [[nodiscard]] Result<void> TakeBest(uint64_t block, std::vector<uint32_t> records, uint64_t count, const Check& check,
                                      Best& best) const;
  [[nodiscard]] static uint64_t BytesOf(const Candidate& candidate);
  [[nodiscard]] bool Before(const Candidate& a, const Candidate& b) const;
  [[nodiscard]] Constraint BoundOf(const Candidate& worst) const;

  ColumnStore* store_;
  std::vector<GroupRequest::Key> order_;
  std::vector<Constraint> constraints_;
};

}  // namespace ofindex
