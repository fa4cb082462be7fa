#include "query/attaching/record_lookup.h"

#include <bit>
#include <optional>

#include "base/text.h"

namespace ofindex {
namespace {

constexpr size_t kMaxShownKey = 64;  // bytes

class OrdinalLookup final : public RecordLookup {
 public:
  explicit OrdinalLookup(const ColumnStore& store) : store_(store) {}

  uint8_t kinds() const override { return BitOf(FeatureKind::kInt64); }

  void Find(std::span<const TableValue> keys, std::span<RecordPlace> found) const override {
    for (size_t i = 0; i < keys.size(); ++i) {
      const uint64_t ordinal = keys[i].bits;  // a negative number is above all ordinals
      const std::optional<uint64_t> block =
          keys[i].kind == FeatureKind::kInt64 ? store_.BlockOf(ordinal) : std::nullopt;
      found[i] = RecordPlace();
      if (!block) continue;
      found[i] = RecordPlace::At(*block, static_cast<uint32_t>(ordinal - store_.blocks()[*block].first_record));
    }
  }

  std::string Example() const override {
    return store_.blocks().empty() ? "" : StrCat(store_.blocks().front().first_record);
  }

 private:
  const ColumnStore& store_;
};

}  // namespace

std::unique_ptr<RecordLookup> LookupByOrdinal(const ColumnStore& store) {
  return std::make_unique<OrdinalLookup>(store);
}

std::string ShownKey(const TableValue& key) {
  switch (key.kind) {
    case FeatureKind::kNone: return "NULL";
    case FeatureKind::kBytes: {
      const bool is_long = key.bytes.size() > kMaxShownKey;
      const ByteView shown = is_long ? key.bytes.first(kMaxShownKey) : key.bytes;
      return StrCat("'", Printable(AsText(shown)), is_long ? "...'" : "'");
    }
    case FeatureKind::kFloat: return std::to_string(std::bit_cast<float>(static_cast<uint32_t>(key.bits)));
    case FeatureKind::kDouble: return std::to_string(std::bit_cast<double>(key.bits));
    case FeatureKind::kInt32:
    case FeatureKind::kInt64: return StrCat(static_cast<int64_t>(key.bits));
  }
  return "";
}

}  // namespace ofindex
