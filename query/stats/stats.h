#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "index/columns/column.h"
#include "query/columns/column_store.h"
#include "query/stats/block_summary.h"
#include "query/stats/histogram.h"
#include "query/stats/null_reasons.h"
#include "query/stats/quartiles.h"
#include "query/stats/value_counts.h"

namespace ofindex {

struct StatsOptions {
  size_t top = 10;   ///< most frequent values
  size_t bins = 10;  ///< of histograms, at least 1

  /// Returns how often each record with an ordinal in [begin, end) counts; nothing if none does. Null: all records
  /// count once. Called on several threads.
  using Among = std::function<std::vector<uint64_t>(uint64_t begin, uint64_t end)>;
  Among among = nullptr;
  const std::atomic<bool>* cancel = nullptr;
};

/// Statistics of the values in one column, with SQL's rules: integers and reals are one kind of number, -0.0 is 0.0,
/// NaN is NULL and counted separately. For a column of lists, the values are all their elements. A value type.
struct ColumnStats {
  std::string column;
  std::string type;  ///< as in `schema`
  uint64_t rows = 0;
  uint64_t count = 0;                       ///< values; for lists, elements
  uint64_t nulls = 0;                       ///< records that are NULL, NaN included; for lists, records without one
  uint64_t nans = 0;                        ///< for lists, elements
  std::optional<NullReasons> null_reasons;  ///< of a column of single values, or of their sizes
  uint64_t numbers = 0;
  ColumnValue min;  ///< in SQLite's order; NULL if there is no value
  ColumnValue max;
  std::optional<double> mean;  ///< this and the following: of the numbers
  std::optional<double> deviation;
  std::optional<Quartiles> quartiles;
  std::vector<HistogramBin> histogram;
  uint64_t distinct = 0;
  bool distinct_is_exact = true;  ///< otherwise an estimate, above ValueCounts::kMaxDistinct
  std::vector<ValueCount> top;    ///< without NULL. If not exact, only those certain to be the most frequent
  Lengths lengths;                ///< of bytes values
  Lengths lists;                  ///< values in each list
};

/// Computes the statistics of `column` on store.threads() threads. Takes memory for ValueCounts::kMaxDistinct values
/// and for one block per thread, however many values there are and however often records count. The result does not
/// depend on the threads. Errors: those of ColumnStore::Load; kInterrupted.
[[nodiscard]] Result<ColumnStats> StatsOf(ColumnStore& store, const Column& column, const StatsOptions& options);

/// Returns the type of a column for display, as in `schema`.
[[nodiscard]] std::string TypeOf(const ColumnStore& store, const Column& column);

}  // namespace ofindex
