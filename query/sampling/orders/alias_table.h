#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "query/sampling/orders/sample_key.h"

namespace ofindex {

/// A table that draws items in proportion to their weights, in constant time. It has one column per item, which belongs
/// to its item up to a threshold and to another item above it. (A. J. Walker, 1977; M. D. Vose, "A linear algorithm for
/// generating random numbers with a given distribution", 1991.) 8 bytes per item. Immutable; may be used by any number
/// of threads.
///
/// All counts are integers, so that a table is the same on every machine: a column has 2^32 units, so n columns have n
/// * 2^32, and an item gets its share of all units, give or take about one. An item of weight 0 has none and is never
/// drawn; an item with a share of less than a unit may have none either.
class AliasTable {
 public:
  static constexpr uint64_t kMaxItems = ~uint32_t{0};

  /// Collects the weights of items 0, 1, 2, ... in the memory of the table itself.
  class Builder {
   public:
    void Reserve(uint64_t items) { columns_.reserve(items); }
    void Add(double weight);

    /// Builds the table, with another n / 8 bytes of temporary memory. Errors: kUsage if a weight is negative or not a
    /// number, or none is above 0; kLimit if there are more than kMaxItems.
    [[nodiscard]] Result<AliasTable> Build() &&;

   private:
    std::vector<uint64_t> columns_;  // weights as bits of doubles
  };

  /// Builds a table of all `weights`. Errors: those of Builder::Build.
  [[nodiscard]] static Result<AliasTable> Of(std::span<const double> weights);

  /// Draws an item from 2 x 64 random bits.
  [[nodiscard]] uint32_t Draw(uint64_t column_bits, uint64_t coin_bits) const {
    return Settle(ColumnOf(column_bits), coin_bits);
  }

  /// The two halves of Draw(), so that many columns can be loaded from memory at a time.
  [[nodiscard]] uint32_t ColumnOf(uint64_t bits) const { return static_cast<uint32_t>(Below(bits, columns_.size())); }
  void Prefetch(uint32_t column) const { __builtin_prefetch(&columns_[column]); }
  [[nodiscard]] uint32_t Settle(uint32_t column, uint64_t coin_bits) const {
    return coin_bits >> 32 < threshold(column) ? column : alias(column);
  }

  [[nodiscard]] uint64_t size() const { return columns_.size(); }

  /// The first `threshold` units of a column belong to its item, the others to `alias`.
  [[nodiscard]] uint32_t threshold(uint32_t column) const { return static_cast<uint32_t>(columns_[column] >> 32); }
  [[nodiscard]] uint32_t alias(uint32_t column) const { return static_cast<uint32_t>(columns_[column]); }

 private:
  explicit AliasTable(std::vector<uint64_t> columns) : columns_(std::move(columns)) {}

  std::vector<uint64_t> columns_;
};

}  // namespace ofindex
