#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "query/columns/value_order.h"
#include "query/crossfilter/cross_filter.h"
#include "tests/query/random_dataset.h"
#include "tests/query/sql_values.h"

namespace ofindex {

/// Random columns in blocks of all sizes, and the counts that a loop over single values gives.
class CountingOracle {
 public:
  explicit CountingOracle(uint64_t seed, unsigned threads = 2) : dice_(seed) {
    const std::vector<uint32_t> blocks = {2500, 1, 64, 2048, 129, 2047, 700};
    size_t records = 0;
    for (const uint32_t block : blocks) records += block;
    std::vector<FeatureInMemory> features;
    ColumnChoice choice{.mode = ColumnChoice::Mode::kNamed};
    for (const char* const name : {"a", "b", "c", "d"}) features.push_back(SomeFeature(dice_, name, records));
    features.push_back(Ascending(records));
    for (const FeatureInMemory& feature : features) choice.names.push_back(feature.name);
    std::vector<uint64_t> gaps;
    if (seed % 2 == 0) gaps = {3, 0, 1000, 0, 64, 1, 0, 9};
    columns_ = std::make_unique<ColumnsInMemory>(std::move(features), blocks, choice, gaps);
    store_ = Store(threads);
    for (const Column& column : store_->columns()) {
      if (!column.is_list() && !column.is_hidden()) shown_.push_back(column);
    }
  }

  /// Returns another store of the same columns.
  [[nodiscard]] std::shared_ptr<ColumnStore> Store(unsigned threads) const {
    return std::make_shared<ColumnStore>(std::make_unique<ColumnsInMemory>(*columns_),
                                         ColumnStoreOptions{.threads = threads});
  }

  [[nodiscard]] const std::shared_ptr<ColumnStore>& store() const { return store_; }

  const Column& SomeShown() { return dice_.Of(shown_); }

  Binning SomeBinning(const Column& column) {
    if (dice_.OneIn(2)) {
      static const std::vector<std::pair<double, double>> kRanges = {
          {0, 1},   {-3, 9},      {0, 256},         {-0.5, 0.5}, {0, 10'000},        {5e-324, 2e-323},
          {0, 1e7}, {-1e300, 17}, {0x1p52, 0x1p54}, {0, 0x1p63}, {-1.7e308, 1.7e308}};
      const auto& [low, high] = dice_.Of(kRanges);
      return *NumberBins::Of(low, high, dice_.Of(std::vector<size_t>{1, 2, 10, 12, 251}));
    }
    std::vector<ColumnValue> values;
    for (size_t i = dice_.Below(6) + 1; i > 0; --i) AddDistinct(SomeValue(column), values);
    if (values.empty()) values.push_back(SqlInt(17));
    return *Categories::Of(std::move(values));
  }

  // A filter that often begins and ends at the edges of bins.
  ColumnFilter SomeFilter(const std::vector<std::shared_ptr<const Dimension>>& dimensions) {
    ColumnFilter filter{.column = SomeShown(), .filter = {}};
    const Dimension* own = nullptr;
    if (!dimensions.empty() && dice_.OneIn(2)) {
      own = dice_.Of(dimensions).get();
      filter.column = own->column();
    }
    filter.filter.null = dice_.OneIn(4);
    if (dice_.OneIn(3)) {
      filter.filter.kind = ValueFilter::Kind::kSet;
      for (size_t i = dice_.Below(5); i > 0; --i) AddDistinct(OperandFor(filter.column, own), filter.filter.values);
      std::sort(filter.filter.values.begin(), filter.filter.values.end(),
                [](const ColumnValue& a, const ColumnValue& b) { return CompareValues(a, b) < 0; });
      return filter;
    }
    filter.filter.outside = dice_.OneIn(5);
    if (!dice_.OneIn(5)) filter.filter.low = BoundFor(filter.column, own);
    if (!dice_.OneIn(5)) filter.filter.high = BoundFor(filter.column, own);
    return filter;
  }

  std::unique_ptr<Selection> SomeSelection() {
    std::vector<BlockSelection> selected;
    for (const BlockMetadata& block : store_->blocks()) {
      std::vector<uint64_t> words(WordCount(block.records));
      const size_t habit = dice_.Below(3);
      for (uint32_t r = 0; r < block.records; ++r) {
        if (habit == 1 || (habit == 2 && dice_.OneIn(3))) words[r / 64] |= uint64_t{1} << r % 64;
      }
      selected.push_back(SelectionOf(std::move(words), block.records));
    }
    return std::make_unique<Selection>(store_->blocks(), std::move(selected));
  }

  CrossFilterQuestion SomeQuestion(const std::shared_ptr<CodeMemory>& memory) {
    CrossFilterQuestion question;
    for (size_t i = dice_.Below(5); i > 0; --i) {
      const Column& column = SomeShown();
      question.dimensions.push_back(*Dimension::Of(store_, column, SomeBinning(column), memory));
    }
    for (size_t i = dice_.Below(4); i > 0; --i) question.filters.push_back(SomeFilter(question.dimensions));
    question.unfiltered = dice_.OneIn(2);
    return question;
  }

  [[nodiscard]] CrossFilterCounts Expected(const CrossFilterQuestion& question) const {
    CrossFilterCounts counts{.records = columns_->records(), .known = columns_->records()};
    for (const auto& dimension : question.dimensions) {
      counts.dimensions.push_back({.bins = std::vector<uint64_t>(dimension->bins())});
    }
    if (question.unfiltered) counts.unfiltered = counts.dimensions;
    for (uint64_t record = 0; record < columns_->records(); ++record) {
      if (question.among != nullptr && !Selected(*question.among, columns_->OrdinalOf(record))) continue;
      counts.passing += uint64_t{Passes(question, record, nullptr)};
      for (size_t d = 0; d < question.dimensions.size(); ++d) {
        const Dimension& dimension = *question.dimensions[d];
        if (Passes(question, record, &dimension.column())) ++EntryOf(dimension, record, counts.dimensions[d]);
        if (question.unfiltered) ++EntryOf(dimension, record, counts.unfiltered[d]);
      }
    }
    return counts;
  }

 private:
  static FeatureInMemory Ascending(size_t records) {
    FeatureInMemory feature{"ascending", {}};
    for (size_t r = 0; r < records; ++r) feature.cells.emplace_back(Ints({static_cast<int64_t>(r)}));
    return feature;
  }

  ColumnValue SomeValue(const Column& column) { return columns_->Expected(column, dice_.Below(columns_->records())); }

  ColumnValue OperandFor(const Column& column, const Dimension* own) {
    if (own != nullptr && dice_.OneIn(2)) {
      if (const auto* const bins = std::get_if<NumberBins>(&own->binning())) {
        return SqlReal(bins->edge(dice_.Below(bins->size() + 1)));
      }
      return dice_.Of(std::get<Categories>(own->binning()).values());
    }
    return dice_.OneIn(4) ? SqlInt(dice_.Of(kIntegers)) : SomeValue(column);
  }

  ValueBound BoundFor(const Column& column, const Dimension* own) {
    ColumnValue value = OperandFor(column, own);
    if (value.type == ColumnValue::Type::kNull) return {};
    return {.value = std::move(value), .open = dice_.OneIn(2)};
  }

  static void AddDistinct(ColumnValue value, std::vector<ColumnValue>& values) {
    if (value.type == ColumnValue::Type::kNull) return;
    for (const ColumnValue& other : values) {
      if (CompareValues(other, value) == 0) return;
    }
    values.push_back(std::move(value));
  }

  [[nodiscard]] bool Selected(const Selection& selection, uint64_t ordinal) const {
    const uint64_t block = *store_->BlockOf(ordinal);
    const BlockMetadata& metadata = store_->blocks()[block];
    const auto r = static_cast<uint32_t>(ordinal - metadata.first_record);
    return (selection.selected()[block].Word(metadata.records, r / 64) >> r % 64 & 1) != 0;
  }

  // Returns whether a record meets all filters, but those on the column `own`.
  [[nodiscard]] bool Passes(const CrossFilterQuestion& question, uint64_t record, const Column* own) const {
    return std::all_of(question.filters.begin(), question.filters.end(), [&](const ColumnFilter& filter) {
      if (own != nullptr && own->name == filter.column.name) return true;
      return Accepts(filter.filter, columns_->Expected(filter.column, record));
    });
  }

  static bool Accepts(const ValueFilter& filter, const ColumnValue& value) {
    if (value.type == ColumnValue::Type::kNull) return filter.null;
    if (filter.kind == ValueFilter::Kind::kSet) {
      return std::any_of(filter.values.begin(), filter.values.end(),
                         [&](const ColumnValue& other) { return CompareValues(other, value) == 0; });
    }
    const auto holds = [&](const ValueBound& bound, int sign) {
      if (!bound.value) return true;
      const int order = sign * CompareValues(value, *bound.value);
      return bound.open ? order > 0 : order >= 0;
    };
    return (holds(filter.low, 1) && holds(filter.high, -1)) != filter.outside;
  }

  [[nodiscard]] bool IsNan(const Column& column, uint64_t record) const {
    if (column.origin != Column::Origin::kFeature || column.role != ColumnRole::kValue) return false;
    const std::optional<Cell>& cell = columns_->data()[column.feature].cells[record];
    return cell && cell->reals.size() == 1 && std::isnan(cell->reals[0]);
  }

  uint64_t& EntryOf(const Dimension& dimension, uint64_t record, BinCounts& counts) const {
    const ColumnValue value = columns_->Expected(dimension.column(), record);
    if (value.type == ColumnValue::Type::kNull) return IsNan(dimension.column(), record) ? counts.nans : counts.nulls;
    if (const auto* const categories = std::get_if<Categories>(&dimension.binning())) {
      for (size_t i = 0; i < categories->size(); ++i) {
        if (CompareValues(categories->values()[i], value) == 0) return counts.bins[i];
      }
      return counts.other;
    }
    if (!IsNumber(value.type)) return counts.other;
    const auto& bins = std::get<NumberBins>(dimension.binning());
    const auto is_below = [&](size_t edge) { return CompareValues(value, SqlReal(bins.edge(edge))) < 0; };
    if (is_below(0)) return counts.below;
    for (size_t i = 0; i < bins.size(); ++i) {
      if (is_below(i + 1)) return counts.bins[i];
    }
    return counts.above;
  }

  Dice dice_;
  std::unique_ptr<ColumnsInMemory> columns_;
  std::shared_ptr<ColumnStore> store_;
  std::vector<Column> shown_;  // without lists
};

}  // namespace ofindex
