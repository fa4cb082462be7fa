#include "query/sampling/orders/weighted_draws.h"

#include <algorithm>
#include <array>

namespace ofindex {
namespace {

constexpr size_t kColumnsAtOnce = 32;  // columns loaded from memory at a time

}  // namespace

void WeightedDraws::Fill(uint64_t first, uint64_t step, std::span<uint64_t> out) const {
  std::array<uint32_t, kColumnsAtOnce> columns;
  for (size_t done = 0; done < out.size();) {
    const uint64_t position = first + done * step;
    const size_t count = std::min(kColumnsAtOnce, out.size() - done);
    for (size_t j = 0; j < count; ++j) {
      columns[j] = table_->ColumnOf(SampleKey(column_key_, position + j * step));
      table_->Prefetch(columns[j]);
    }
    for (size_t j = 0; j < count; ++j) {
      out[done++] = table_->Settle(columns[j], SampleKey(coin_key_, position + j * step));
    }
  }
}

}  // namespace ofindex
