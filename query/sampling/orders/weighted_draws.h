#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "query/sampling/orders/alias_table.h"
#include "query/sampling/orders/sample_key.h"

namespace ofindex {

/// An endless sequence of draws with replacement, in proportion to weights. Draw i is a function of key and i only, so
/// a sequence can continue at any number without the earlier draws. Immutable; may be used by any number of threads.
///
/// The algorithm: draw i is AliasTable::Draw(SampleKey(SampleKey(key, 0), i), SampleKey(SampleKey(key, 1), i)).
class WeightedDraws {
 public:
  /// `key` is one of SampleUse::kDraws. The sequences of many epochs may share the table.
  WeightedDraws(std::shared_ptr<const AliasTable> table, uint64_t key)
      : table_(std::move(table)), column_key_(SampleKey(key, 0)), coin_key_(SampleKey(key, 1)) {}

  /// Returns the item of draw number `position`.
  [[nodiscard]] uint64_t At(uint64_t position) const {
    return table_->Draw(SampleKey(column_key_, position), SampleKey(coin_key_, position));
  }

  /// Sets `out` to draws `first`, `first` + `step`, .... Faster than single calls, as it loads many columns at a time.
  void Fill(uint64_t first, uint64_t step, std::span<uint64_t> out) const;

  [[nodiscard]] uint64_t size() const { return table_->size(); }

 private:
  std::shared_ptr<const AliasTable> table_;
  uint64_t column_key_;
  uint64_t coin_key_;
};

}  // namespace ofindex
