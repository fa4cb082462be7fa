#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "query/crossfilter/codes/bin_codes.h"
#include "query/crossfilter/conditions.h"
#include "query/crossfilter/dimension.h"
#include "query/filter/selection.h"

namespace ofindex {

struct CrossFilterQuestion {
  std::vector<std::shared_ptr<const Dimension>> dimensions = {};
  std::vector<ColumnFilter> filters = {};  ///< a record passes if it meets all
  /// The records that are counted at all, for example those of a WHERE; null: all records. Not owned.
  const Selection* among = nullptr;
  bool unfiltered = false;  ///< asks for the counts without filters, too; `among` holds for these as well
  /// Reads about so many records, evenly spread, and estimates from them; fewer if chunks have to be decoded: each
  /// column whose codes are not kept takes as long as kUncodedCost records more.
  uint64_t max_records = std::numeric_limits<uint64_t>::max();

  static constexpr uint64_t kUncodedCost = 3;
};

/// The answer to a question. Counts are scaled and rounded if it is an estimate. A value type.
struct CrossFilterCounts {
  uint64_t passing = 0;  ///< records that meet all filters
  /// Counts by dimension of the records that meet all filters but those on the dimension's own column.
  std::vector<BinCounts> dimensions = {};
  std::vector<BinCounts> unfiltered = {};  ///< by dimension; empty if not asked for
  uint64_t records = 0;                    ///< all of them, whatever the question
  uint64_t known = 0;                      ///< those that were read, or decided by their block
  /// The standard error of `passing`, as if the blocks had been drawn at random; infinite if only one was.
  double error = 0;

  [[nodiscard]] bool exact() const { return known == records; }

  /// Returns the share of records that are known.
  [[nodiscard]] double share() const {
    return records == 0 ? 1 : static_cast<double>(known) / static_cast<double>(records);
  }

  friend bool operator==(const CrossFilterCounts&, const CrossFilterCounts&) = default;
};

}  // namespace ofindex
