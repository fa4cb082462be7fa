#include "query/stats/moments.h"

#include <cmath>

namespace ofindex {
namespace {

std::optional<double> Known(long double value) {
  if (std::isnan(value)) return std::nullopt;
  return static_cast<double>(value);
}

}  // namespace

Moments::Moments(const BlockCounts& block) {
  for (const auto& [value, count] : block.integers) {
    sum_.integers += static_cast<__int128>(value) * static_cast<__int128>(count);
    count_ += count;
  }
  for (const auto& [value, count] : block.reals) {
    sum_.reals += static_cast<long double>(value) * static_cast<long double>(count);
    count_ += count;
  }
  if (count_ == 0) return;
  const long double mean = center();
  const auto add_squares = [&](const auto& counts) {
    for (const auto& [value, count] : counts) {
      const long double deviation = static_cast<long double>(value) - mean;
      squares_ += deviation * deviation * static_cast<long double>(count);
    }
  };
  add_squares(block.integers);
  add_squares(block.reals);
}

// T. F. Chan, G. H. Golub, R. J. LeVeque: Updating formulae and a pairwise algorithm for computing sample variances
// (1979).
void Moments::Merge(const Moments& later) {
  if (later.count_ == 0) return;
  if (count_ == 0) {
    *this = later;
    return;
  }
  const auto mine = static_cast<long double>(count_);
  const auto others = static_cast<long double>(later.count_);
  const long double apart = later.center() - center();
  squares_ += later.squares_ + apart * apart * (mine * others / (mine + others));
  sum_.Add(later.sum_);
  count_ += later.count_;
}

void Moments::Add(int64_t number) {
  Moments one;
  one.count_ = 1;
  one.sum_.integers = number;
  Merge(one);
}

void Moments::Add(double number) {
  Moments one;
  one.count_ = 1;
  one.sum_.reals = static_cast<long double>(number);
  if (!std::isfinite(number)) one.squares_ = std::numeric_limits<long double>::quiet_NaN();
  Merge(one);
}

std::optional<double> Moments::mean() const {
  if (count_ == 0) return std::nullopt;
  return Known(center());
}

std::optional<double> Moments::variance() const {
  if (count_ < 2) return std::nullopt;
  return Known(squares_ / static_cast<long double>(count_ - 1));
}

std::optional<double> Moments::deviation() const {
  if (count_ < 2) return std::nullopt;
  return Known(std::sqrt(squares_ / static_cast<long double>(count_ - 1)));
}

}  // namespace ofindex
