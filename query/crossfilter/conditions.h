#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "query/columns/column_store.h"
#include "query/crossfilter/codes/code_mask.h"
#include "query/crossfilter/dimension.h"
#include "query/filter/value_filter.h"

namespace ofindex {

/// A filter on one column. A value type.
struct ColumnFilter {
  Column column;
  ValueFilter filter;
};

/// The filters on one column, all of which a record must meet. Codes decide a filter, if those of a dimension can;
/// otherwise zone maps do, and kernels over the chunks. Immutable; any number of threads may use it.
class ColumnConditions {
 public:
  ColumnConditions(ColumnStore& store, Column column) : store_(&store), column_(std::move(column)) {}

  [[nodiscard]] const Column& column() const { return column_; }

  /// Adds a filter, for which the codes of one of `dimensions` are used if possible. Errors: kIndex, kIo.
  [[nodiscard]] Result<void> Add(ValueFilter filter, std::span<const std::shared_ptr<const Dimension>> dimensions);

  /// Returns the records of `block` that meet the filters, as far as this is known from zone maps and from the codes of
  /// complete dimensions. So it does not depend on which blocks other threads have read.
  [[nodiscard]] ValueFilter::Verdict Evaluate(uint64_t block) const;

  /// Sets the bit of each record of `block` that meets the filters, and clears the others. Errors: those of
  /// ColumnStore::Load.
  [[nodiscard]] Result<void> Match(uint64_t block, std::span<uint64_t> words) const;

  /// Returns true if the codes of dimensions decide all filters.
  [[nodiscard]] bool is_coded() const;

 private:
  struct Part {
    ValueFilter filter;
    std::shared_ptr<const Dimension> dimension = {};  // null: codes do not decide the filter
    std::optional<CodeMask> mask = {};                // of the dimension's codes
    std::shared_ptr<const ColumnStore::Zones> zones = {};
    bool complete = false;  // the dimension was, when the question was asked
  };

  [[nodiscard]] Result<void> MatchPart(const Part& part, uint64_t block, std::span<uint64_t> words) const;

  ColumnStore* store_;
  Column column_;
  std::vector<Part> parts_;
};

/// Returns the filters by column, in the order in which columns first occur. Once `progress` is cancelled, long
/// evaluations end with any result; it must outlive the conditions. Errors: kIndex, kIo.
[[nodiscard]] Result<std::vector<ColumnConditions>> ConditionsOf(
    ColumnStore& store, const std::vector<ColumnFilter>& filters,
    std::span<const std::shared_ptr<const Dimension>> dimensions, const Progress& progress);

}  // namespace ofindex
