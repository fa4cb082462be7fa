#include "query/stats/histogram.h"

#include <algorithm>
#include <cmath>

namespace ofindex {

Histogram::Histogram(int64_t min, int64_t max, size_t limit) : whole_(true) {
  const uint64_t range = static_cast<uint64_t>(max) - static_cast<uint64_t>(min);
  const uint64_t whole_width = range / limit;
  const auto width = static_cast<long double>(whole_width) + 1;
  const auto begin = static_cast<long double>(min);
  while (edges_.empty() || begin + width * static_cast<long double>(edges_.size()) <= static_cast<long double>(max)) {
    edges_.push_back(begin + width * static_cast<long double>(edges_.size()));
  }
  edges_.push_back(static_cast<long double>(max));
  counts_.resize(edges_.size() - 1);
}

Histogram::Histogram(double min, double max, size_t limit) : whole_(false) {
  const auto range = static_cast<long double>(max) - static_cast<long double>(min);
  for (size_t i = 0; i <= limit; ++i) {
    // A double, because that is what is shown: a value and the edge that it is compared with agree.
    const auto edge = static_cast<double>(static_cast<long double>(min) +
                                          range * static_cast<long double>(i) / static_cast<long double>(limit));
    if (edges_.empty() || static_cast<long double>(edge) > edges_.back()) {
      edges_.push_back(static_cast<long double>(edge));
    }
  }
  if (edges_.size() == 1) edges_.push_back(edges_.front());
  edges_.back() = static_cast<long double>(max);
  counts_.resize(edges_.size() - 1);
}

size_t Histogram::BinOf(long double value) const {
  const auto last = edges_.end() - 1;  // its own bin is the previous one
  const auto above = std::upper_bound(edges_.begin() + 1, last, value);
  return static_cast<size_t>(above - edges_.begin()) - 1;
}

void Histogram::Add(int64_t value, uint64_t count) { counts_[BinOf(static_cast<long double>(value))] += count; }

void Histogram::Add(double value, uint64_t count) {
  if (std::isfinite(value)) counts_[BinOf(static_cast<long double>(value))] += count;
}

std::vector<HistogramBin> Histogram::bins() const {
  const auto edge = [&](size_t i) -> ColumnValue {
    if (whole_) return {.type = ColumnValue::Type::kInteger, .integer = static_cast<int64_t>(edges_[i])};
    return {.type = ColumnValue::Type::kReal, .real = static_cast<double>(edges_[i])};
  };
  std::vector<HistogramBin> bins;
  for (size_t i = 0; i < counts_.size(); ++i) bins.push_back({edge(i), edge(i + 1), counts_[i]});
  return bins;
}

}  // namespace ofindex
