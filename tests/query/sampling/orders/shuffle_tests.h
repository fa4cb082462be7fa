#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "tests/query/sampling/orders/uniformity.h"

namespace ofindex {

struct PValue {
  std::string name;
  double p;
};

/// Tests a few elements of each of many orders.
class FewElements {
 public:
  /// `row` is a distance at which an order might have a pattern.
  FewElements(uint64_t size, uint64_t row)
      : row_(row), size_(size), single_(5, Histogram(size, 256)), pairs_(3, PairCounts(size)) {}

  /// `order` has At and PositionOf.
  template <typename Order>
  void Add(const Order& order) {
    const uint64_t first = order.At(0);
    single_[0].Add(first);
    single_[1].Add(order.At(size_ / 2));
    single_[2].Add(order.At(size_ - 1));
    single_[3].Add(order.PositionOf(size_ / 3));
    single_[4].Add((first + size_ - last_first_) % size_);
    pairs_[0].Add(first, order.At(1));
    pairs_[1].Add(first, order.At(2));
    pairs_[2].Add(first, order.At(row_));
    last_first_ = first;
  }

  [[nodiscard]] std::vector<PValue> PValues() const {
    return {{"first element", single_[0].P()},
            {"middle element", single_[1].P()},
            {"last element", single_[2].P()},
            {"position of one element", single_[3].P()},
            {"first element, difference to the previous order", single_[4].P()},
            {"neighbours", pairs_[0].PlaceP()},
            {"neighbours, difference", pairs_[0].ApartP()},
            {"two apart", pairs_[1].PlaceP()},
            {"two apart, difference", pairs_[1].ApartP()},
            {"a row apart", pairs_[2].PlaceP()},
            {"a row apart, difference", pairs_[2].ApartP()}};
  }

 private:
  uint64_t row_;
  uint64_t size_;
  uint64_t last_first_ = 0;
  std::vector<Histogram> single_;
  std::vector<PairCounts> pairs_;
};

inline uint64_t LongestRise(std::span<const uint64_t> order) {
  uint64_t longest = 1;
  uint64_t length = 1;
  for (size_t i = 1; i < order.size(); ++i) {
    length = order[i] > order[i - 1] ? length + 1 : 1;
    longest = std::max(longest, length);
  }
  return longest;
}

inline uint64_t Rises(std::span<const uint64_t> order) {
  uint64_t rises = 0;
  for (size_t i = 1; i < order.size(); ++i) rises += order[i] > order[i - 1] ? 1U : 0U;
  return rises;
}

inline double SerialSum(std::span<const uint64_t> order, uint64_t distance) {
  const double mean = static_cast<double>(order.size() - 1) / 2;
  double sum = 0;
  for (size_t i = 0, j = distance; i < order.size(); ++i, j = j + 1 < order.size() ? j + 1 : 0)
    sum += (static_cast<double>(order[i]) - mean) * (static_cast<double>(order[j]) - mean);
  return sum;
}

/// Returns whether `order` is an even permutation.
inline bool IsEven(std::span<const uint64_t> order) {
  std::vector<bool> seen(order.size());
  size_t cycles = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    if (seen[i]) continue;
    ++cycles;
    for (size_t j = i; !seen[j]; j = order[j]) seen[j] = true;
  }
  return (order.size() - cycles) % 2 == 0;
}

/// Returns the number of `order` among all orders of its size, in lexicographic order.
inline uint64_t Rank(std::span<const uint64_t> order) {
  uint64_t rank = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    uint64_t less = 0;
    for (size_t j = i + 1; j < order.size(); ++j) less += order[j] < order[i] ? 1U : 0U;
    rank = rank * (order.size() - i) + less;
  }
  return rank;
}

/// Tests all elements of each order, for orders of at least five elements. 2 * `row` must not be a multiple of `size`.
class WholeOrders {
 public:
  WholeOrders(uint64_t size, uint64_t row)
      : size_(size), distances_{1, 2, row}, rises_(RiseMoments(size)), serial_(SerialMoments(size)) {
    for (size_t i = 0; i < distances_.size(); ++i) apart_.emplace_back(size - 1, 256);
  }

  void Add(std::span<const uint64_t> order) {
    ++total_;
    const uint64_t longest = LongestRise(order);
    if (longest >= longest_.size()) longest_.resize(longest + 1);
    ++longest_[longest];
    rises_sum_ += rises_.Normal(static_cast<double>(Rises(order)));
    if (size_ < kVeryLarge) even_ += IsEven(order) ? 1U : 0U;
    for (size_t i = 0; i < distances_.size(); ++i) {
      const double z = serial_.Normal(SerialSum(order, distances_[i]));
      serial_sum_[i] += z;
      serial_squares_[i] += z * z;
      if (size_ < kLarge) continue;
      for (size_t j = distances_[i]; j < order.size(); ++j) {
        const uint64_t from = order[j - distances_[i]];
        apart_[i].Add((order[j] > from ? order[j] - from : order[j] + size_ - from) - 1);
      }
    }
  }

  [[nodiscard]] std::vector<PValue> PValues() const {
    const double root = std::sqrt(static_cast<double>(total_));
    std::vector<PValue> all = {{"longest rise", LongestP()}, {"number of rises", NormalP(rises_sum_ / root)}};
    if (size_ < kVeryLarge)
      all.push_back({"even orders", NormalP((2 * static_cast<double>(even_) - root * root) / root)});
    static constexpr std::array<const char*, 3> kNames = {"", ", two apart", ", a row apart"};
    for (size_t i = 0; i < distances_.size(); ++i) {
      all.push_back({std::string("serial correlation") + kNames[i], NormalP(serial_sum_[i] / root)});
      if (size_ < kLarge) continue;
      all.push_back({std::string("serial correlation") + kNames[i] + ", spread",
                     ChiSquareP(serial_squares_[i], static_cast<double>(total_))});
      all.push_back({std::string("differences within") + kNames[i], apart_[i].P()});
    }
    return all;
  }

 private:
  // From this size on, the serial correlation of one order is nearly normal, and the differences within one order are
  // nearly independent.
  static constexpr uint64_t kLarge = 1000;
  // From this size on, it takes too long to tell even orders from odd ones.
  static constexpr uint64_t kVeryLarge = 10'000;

  [[nodiscard]] double LongestP() const {
    std::vector<double> expected = {0};
    std::vector<uint64_t> counts = longest_;
    double below = 0;
    for (uint64_t length = 1; 1 - below > 1e-9 || expected.size() < counts.size(); ++length) {
      const double up_to = length < size_ ? RisesBelowP(size_, length + 1) : 1;
      expected.push_back((up_to - below) * static_cast<double>(total_));
      below = up_to;
    }
    counts.resize(expected.size());
    return CountsP(counts, expected);
  }

  uint64_t size_;
  std::array<uint64_t, 3> distances_;
  Moments rises_;
  Moments serial_;
  uint64_t total_ = 0;
  uint64_t even_ = 0;
  std::vector<uint64_t> longest_;
  double rises_sum_ = 0;
  std::array<double, 3> serial_sum_{};
  std::array<double, 3> serial_squares_{};
  std::vector<Histogram> apart_;
};

}  // namespace ofindex
