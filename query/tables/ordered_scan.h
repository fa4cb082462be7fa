#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "query/aggregates/ordered_records.h"
#include "query/tables/records_plan.h"
#include "query/tables/records_scan.h"
#include "query/tables/values/work_limits.h"

namespace ofindex {

/// Moves a scan to the records that meet some constraints, in the order of columns. As many as will probably be read
/// are found at once; if more are read, eight times as many, and so on. Not thread-safe; the store, the limits and the
/// scan must outlive it.
class OrderedScan {
 public:
  OrderedScan(ColumnStore& store, const WorkLimits& limits, RecordsScan& scan)
      : store_(&store), limits_(&limits), scan_(&scan), held_(limits) {}

  /// Returns true between Begin and the next call of Stop.
  [[nodiscard]] bool active() const { return records_.has_value(); }
  void Stop();

  /// Goes to the first record in the order of `plan`. Errors: kIndex, kIo, kLimit, kInterrupted.
  [[nodiscard]] Result<void> Begin(const RecordsPlan& plan, std::vector<Constraint> constraints);

  /// Goes to the next record; the scan is done after the last. Errors: as Begin.
  [[nodiscard]] Result<void> Next();

 private:
  [[nodiscard]] Result<void> Find();

  ColumnStore* store_;
  const WorkLimits* limits_;
  RecordsScan* scan_;
  std::optional<OrderedRecords> records_;
  HeldMemory held_;     // while records are found, and then by their ordinals
  size_t columns_ = 0;  // of the order
  uint64_t wanted_ = 0;
  std::vector<uint64_t> ordinals_;  // the first `wanted_`
  size_t place_ = 0;                // of the next record
};

}  // namespace ofindex
