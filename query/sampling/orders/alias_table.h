#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "query/sampling/orders/sample_key.h"

namespace ofindex {

/// A table from which items are drawn in proportion to their weights, in constant time: one column an item, each of
/// which belongs to its item up to a threshold and to another one above it. (A. J. Walker, 1977; M. D. Vose, "A linear
/// algorithm for generating random numbers with a given distribution", 1991.) 8 bytes an item. Immutable; may be used
/// by any number of threads.
///
/// All is counted in integers, so that a table is the same on every machine: a column has 2^32 units, n * 2^32 in all,
/// and an item has those of its share, about one more or fewer. An item of weight 0 has none and is never drawn; nor
/// may be one of a share of less than a unit.
class AliasTable {
 public:
  static constexpr uint64_t kMostItems = ~uint32_t{0};

  /// Collects the weights of items 0, 1, 2, ... in the memory of the table itself.
  class Builder {
   public:
    void Reserve(uint64_t items) { columns_.reserve(items); }
    void Add(double weight);

    /// Takes another n / 8 bytes while it lasts. Errors: kUsage  a weight is negative or no number, or none is above 0;
    /// kLimit  there are more than kMostItems.
    [[nodiscard]] Result<AliasTable> Build() &&;

   private:
    std::vector<uint64_t> columns_;  // weights as bits of doubles
  };

  /// Of all `weights` at once; errors of Builder::Build.
  [[nodiscard]] static Result<AliasTable> Of(std::span<const double> weights);

  /// Draws an item by 2 x 64 random bits.
  [[nodiscard]] uint32_t Draw(uint64_t column_bits, uint64_t coin_bits) const {
    return Settle(ColumnOf(column_bits), coin_bits);
  }

  /// The two halves of Draw(), so that many columns may be on their way from memory at a time.
  [[nodiscard]] uint32_t ColumnOf(uint64_t bits) const { return static_cast<uint32_t>(Below(bits, columns_.size())); }
  void Prefetch(uint32_t column) const { __builtin_prefetch(&columns_[column]); }
  [[nodiscard]] uint32_t Settle(uint32_t column, uint64_t coin_bits) const {
    return coin_bits >> 32 < threshold(column) ? column : alias(column);
  }

  [[nodiscard]] uint64_t size() const { return columns_.size(); }

  /// The first `threshold` units of a column are its item's, the others those of `alias`.
  [[nodiscard]] uint32_t threshold(uint32_t column) const { return static_cast<uint32_t>(columns_[column] >> 32); }
  [[nodiscard]] uint32_t alias(uint32_t column) const { return static_cast<uint32_t>(columns_[column]); }

 private:
  explicit AliasTable(std::vector<uint64_t> columns) : columns_(std::move(columns)) {}

  std::vector<uint64_t> columns_;
};

}  // namespace ofindex
