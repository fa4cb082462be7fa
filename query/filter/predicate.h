#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/result.h"
#include "query/columns/column_store.h"
#include "query/filter/selection.h"
#include "query/filter/value_filter.h"

namespace ofindex {

/// A conjunction of constraints, ready to be evaluated block by block. Immutable; may be used by any number of threads.
class Predicate {
 public:
  /// Makes the conjunction of `constraints` over `store`, which must outlive it. Without constraints, every record is
  /// accepted. Once `cancel` is set, Evaluate() fails with kInterrupted. Errors: kIndex, kIo.
  [[nodiscard]] static Result<Predicate> Of(ColumnStore& store, std::span<const Constraint> constraints,
                                            const std::atomic<bool>* cancel = nullptr);

  /// Returns the records of `block` that meet all constraints: zone maps decide what they can, kernels the rest. Loads
  /// the chunks of the undecided columns. Errors: kIndex, kIo, kLimit, kInterrupted.
  [[nodiscard]] Result<BlockSelection> Evaluate(uint64_t block) const;

  /// Does the same for blocks [begin, end), on up to `threads` threads.
  [[nodiscard]] Result<std::vector<BlockSelection>> Evaluate(uint64_t begin, uint64_t end, unsigned threads) const;

  /// Returns the number of records that zone maps cannot rule out: at least as many as meet all constraints.
  [[nodiscard]] uint64_t RecordsInQuestion() const;

  /// A filter on a column, and the column's zones.
  struct Part {
    uint32_t number;  ///< in ColumnStore::columns()
    Column column;
    ValueFilter filter;
    std::shared_ptr<const ColumnStore::Zones> zones;
  };
  [[nodiscard]] const std::vector<Part>& parts() const { return parts_; }

 private:
  Predicate(ColumnStore& store, const std::atomic<bool>* cancel) : store_(&store), cancel_(cancel) {}

  [[nodiscard]] Result<void> MatchPart(const Part& part, uint64_t block, std::span<uint64_t> words) const;
  [[nodiscard]] ValueFilter::Verdict EvaluateZone(uint64_t block) const;
  [[nodiscard]] unsigned ThreadsFor(uint64_t begin, uint64_t end, unsigned threads) const;

  ColumnStore* store_;
  const std::atomic<bool>* cancel_;
  std::vector<Part> parts_;
};

}  // namespace ofindex
