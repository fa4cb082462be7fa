#include "index/columns/feature_totals.h"

#include <algorithm>
#include <array>
#include <initializer_list>

#include "proto/wire/varint.h"

namespace ofindex {
namespace {

constexpr uint64_t kKindBits = (uint64_t{2} << static_cast<uint8_t>(FeatureKind::kInt64)) - 1;
constexpr uint64_t kMaxCount = INT64_MAX;  // SQLite's greatest integer

// Reads varints one by one. After the first fault, every one is 0, and `sound` is false.
class Varints {
 public:
  explicit Varints(ByteView bytes) : bytes_(bytes) {}

  uint64_t Next(uint64_t most = UINT64_MAX) {
    uint64_t value = 0;
    const size_t size = TakeVarint(bytes_.first(std::min(bytes_.size(), kMaxVarintBytes)), &value);
    sound_ = sound_ && size != 0 && size == VarintBytes(value) && value <= most;
    if (!sound_) return 0;
    bytes_ = bytes_.subspan(size);
    return value;
  }

  [[nodiscard]] bool sound() const { return sound_; }
  [[nodiscard]] bool done() const { return bytes_.empty(); }

 private:
  ByteView bytes_;
  bool sound_ = true;
};

}  // namespace

void MergeTotals(const FeatureRow& from, FeatureRow& into) {
  if (from.present == 0) return;
  into.values_min = into.present == 0 ? from.values_min : std::min(into.values_min, from.values_min);
  into.values_max = std::max(into.values_max, from.values_max);
  into.kinds = static_cast<uint8_t>(into.kinds | from.kinds);
  into.present += from.present;
  into.values += from.values;
  into.single += from.single;
  into.largest_bytes = std::max(into.largest_bytes, from.largest_bytes);
}

std::vector<uint8_t> TotalsBytes(const FeatureTotals& totals) {
  std::vector<uint8_t> bytes;
  uint32_t next = 0;
  for (const auto& [number, row] : totals) {
    std::array<uint8_t, 8 * kMaxVarintBytes> varints{};
    uint8_t* end = varints.data();
    for (const uint64_t value :
         std::initializer_list<uint64_t>{number - next, row.kinds, row.present, row.values, row.values_min,
                                         row.values_max, row.single, row.largest_bytes}) {
      end = WriteVarint(value, end);
    }
    bytes.insert(bytes.end(), varints.data(), end);
    next = number + 1;
  }
  return bytes;
}

std::optional<FeatureTotals> ParseTotals(ByteView bytes, uint64_t records) {
  FeatureTotals totals;
  Varints varints(bytes);
  for (uint64_t next = 0; !varints.done();) {
    const uint64_t number = next + varints.Next(UINT32_MAX - 1);
    FeatureRow row;
    row.kinds = static_cast<uint8_t>(varints.Next(kKindBits));
    row.present = varints.Next(records);
    row.values = varints.Next(kMaxCount);
    row.values_min = static_cast<uint32_t>(varints.Next(UINT32_MAX));
    row.values_max = static_cast<uint32_t>(varints.Next(UINT32_MAX));
    row.single = varints.Next(row.present);
    row.largest_bytes = varints.Next(kMaxCount);
    if (!varints.sound() || number >= UINT32_MAX || row.values_min > row.values_max) return std::nullopt;
    totals.emplace(static_cast<uint32_t>(number), row);
    next = number + 1;
  }
  return totals;
}

}  // namespace ofindex
