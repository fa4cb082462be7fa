#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace ofindex {

/// The distinct numbers of a column, with a lookup of their indexes. A value type; built for one column, then read. T
/// is an unsigned integer of 32 or 64 bits.
class DistinctNumbers {
 public:
  /// Finds the distinct numbers of `values`, all at most `largest`. Returns nullopt if there are more than `limit`, or
  /// if it would take more than a few passes over the values.
  template <typename T>
  [[nodiscard]] static std::optional<DistinctNumbers> Find(std::span<const T> values, uint64_t largest, size_t limit);

  /// Returns the distinct numbers, ascending.
  [[nodiscard]] const std::vector<uint64_t>& sorted() const { return sorted_; }

  /// Returns the index in sorted() of each of `values`.
  template <typename T>
  [[nodiscard]] std::vector<uint32_t> NumbersOf(std::span<const T> values) const;

 private:
  static constexpr uint64_t kDirectRange = uint64_t{1} << 17;  // below it a table may have an entry for every number
  static constexpr uint32_t kMaxProbes = 64;
  static constexpr uint32_t kFree = ~uint32_t{0};

  explicit DistinctNumbers(bool direct) : direct_(direct) {}
  template <typename T>
  [[nodiscard]] bool FindDirectly(std::span<const T> values, uint64_t largest, size_t limit);
  template <typename T>
  [[nodiscard]] bool FindHashed(std::span<const T> values, size_t limit);
  [[nodiscard]] size_t Slot(uint64_t value) const;

  bool direct_;
  std::vector<uint64_t> sorted_;
  std::vector<uint32_t> ranks_;  // by value, or by slot
  std::vector<uint64_t> keys_;   // by slot
  int shift_ = 0;                // from a hash to its slot
};

}  // namespace ofindex
