#include "tools/streams/arrow_column.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/text.h"
#include "proto/feature_slices.h"

namespace ofindex {
namespace {

constexpr uint8_t kNoKind = BitOf(FeatureKind::kNone);

// Returns the type that holds all values of these kinds exactly.
std::optional<IpcType> CommonType(uint8_t kinds, bool text) {
  kinds &= static_cast<uint8_t>(~kNoKind);
  if (kinds == 0 || kinds == kBytesKind) return text ? IpcType::kText : IpcType::kBinary;
  if (kinds == BitOf(FeatureKind::kInt32)) return IpcType::kInt32;
  if ((kinds & ~kIntegerKinds) == 0) return IpcType::kInt64;
  if (kinds == BitOf(FeatureKind::kFloat)) return IpcType::kFloat32;
  if ((kinds & ~kRealKinds) == 0) return IpcType::kFloat64;
  return std::nullopt;
}

bool IsString(IpcType type) { return type == IpcType::kBinary || type == IpcType::kText; }

// Returns the bytes of a number.
size_t WidthOf(IpcType type) { return type == IpcType::kInt64 || type == IpcType::kFloat64 ? 8 : 4; }

// Whether a value is TEXT is known only of those in the column of values.
bool IsKnownText(const FeatureRow& row) {
  return row.type == "TEXT" && !row.sql_value.empty() && row.sql_size.empty() && !row.whole;
}

}  // namespace

void IpcArray::Add(bool is_valid) {
  if (length % 8 == 0) valid.push_back(0);
  if (is_valid) {
    valid.back() = static_cast<uint8_t>(valid.back() | 1U << (length % 8));
  } else {
    ++nulls;
  }
  ++length;
}

Result<IpcColumn> IpcColumn::Of(const RecordColumn& column) {
  if (!column.row) {
    return Fail(ErrorCode::kUsage,
                StrCat("the index does not list feature '", Printable(column.feature), "', so its type is not known"),
                "build the index with --columns auto, or write --to jsonl");
  }
  const FeatureRow& row = *column.row;
  const bool is_list = column.feature.ends_with("[]");
  const int lists = is_list ? 2 : row.values_max > 1 ? 1 : 0;
  const std::optional<IpcType> type = CommonType(row.kinds, lists == 0 && IsKnownText(row));
  if (!type) {
    return Fail(ErrorCode::kUsage,
                StrCat("feature '", Printable(column.feature), "' has values of several kinds: ", KindNames(row.kinds),
                       "; a column of Arrow has one type"),
                "name the other features with --feature, or write --to jsonl");
  }
  return IpcColumn(column.feature, row.kinds, {.name = column.title, .type = *type, .lists = lists});
}

IpcColumn::IpcColumn(std::string feature, uint8_t kinds, IpcField field)
    : feature_(std::move(feature)), kinds_(kinds), field_(std::move(field)) {
  arrays_.resize(static_cast<size_t>(field_.lists) + 1);
  Clear();
}

void IpcColumn::Clear() {
  for (IpcArray& array : arrays_) {
    array.length = array.nulls = 0;
    array.valid.clear();
    array.values.clear();
    const bool has_offsets = &array != &arrays_.back() || IsString(field_.type);
    array.offsets.assign(has_offsets ? 1 : 0, 0);
  }
}

void IpcColumn::Free() {
  arrays_ = std::vector<IpcArray>(arrays_.size());
  Clear();
}

uint64_t IpcColumn::bytes() const {
  uint64_t sum = 0;
  for (const IpcArray& array : arrays_) sum += array.values.size() + array.offsets.size() * sizeof(int32_t);
  return sum;
}

bool IpcColumn::Takes(const DecodedRecord& decoded, FeatureValue value) const {
  if (value.kind == FeatureKind::kNone) return true;
  if ((BitOf(value.kind) & kinds_) == 0 || (field_.lists == 0 && value.count > 1)) return false;
  if (field_.type != IpcType::kText || value.count == 0) return true;
  FeatureSlices slices(decoded, value);
  FeatureData slice;
  return slices.Next(&slice) && IsUtf8(AsText(slice.bytes().front()));
}

Result<void> IpcColumn::Check(const ShownRecord& record) const {
  const DecodedRecord& decoded = record.decoded();
  bool taken = true;
  if (const Feature* feature = decoded.Find(AsBytes(feature_))) {
    taken = field_.lists < 2 && Takes(decoded, feature->value);
  } else if (const FeatureList* list = record.FindList(feature_)) {
    const auto steps = decoded.steps(*list);
    taken = field_.lists == 2 &&
            std::all_of(steps.begin(), steps.end(), [&](const FeatureValue& step) { return Takes(decoded, step); });
  }
  if (taken) return {};
  return Fail(
      ErrorCode::kIndex,
      StrCat("record ", record.ordinal(), ": feature '", Printable(feature_), "' is not as the index describes it"),
      "`ofindex verify` compares the shards with the index");
}

void IpcColumn::Append(const ShownRecord& record) {
  const DecodedRecord& decoded = record.decoded();
  IpcArray& outer = arrays_.front();
  const Feature* feature = decoded.Find(AsBytes(feature_));
  const FeatureList* list = feature == nullptr ? record.FindList(feature_) : nullptr;
  if (list != nullptr) {
    for (const FeatureValue& step : decoded.steps(*list)) AppendList(decoded, step, arrays_[1]);
    outer.Add(true);
    outer.offsets.push_back(static_cast<int32_t>(arrays_[1].length));
    return;
  }
  const FeatureValue value = feature == nullptr ? FeatureValue{} : feature->value;
  if (field_.lists == 2) {
    outer.Add(false);
    outer.offsets.push_back(static_cast<int32_t>(arrays_[1].length));
  } else if (field_.lists == 1) {
    AppendList(decoded, value, outer);
  } else if (value.count == 1) {
    AppendValues(decoded, value);
  } else {
    outer.Add(false);
    if (IsString(field_.type)) outer.offsets.push_back(outer.offsets.back());
    if (!IsString(field_.type)) outer.values.resize(outer.values.size() + WidthOf(field_.type));
  }
}

// Appends one item to `list`, whose items are lists of values: null for a value without a kind.
void IpcColumn::AppendList(const DecodedRecord& decoded, FeatureValue value, IpcArray& list) {
  AppendValues(decoded, value);
  list.Add(value.kind != FeatureKind::kNone);
  list.offsets.push_back(static_cast<int32_t>(arrays_.back().length));
}

template <typename To, typename From>
void IpcColumn::AppendNumbers(From values) {
  IpcArray& leaf = arrays_.back();
  for (const auto value : values) {
    const To number = static_cast<To>(value);
    const auto* const bytes = reinterpret_cast<const uint8_t*>(&number);
    leaf.values.insert(leaf.values.end(), bytes, bytes + sizeof number);
    leaf.Add(true);
  }
}

void IpcColumn::AppendValues(const DecodedRecord& decoded, FeatureValue value) {
  FeatureSlices slices(decoded, value);
  for (FeatureData slice; slices.Next(&slice);) AppendSlice(slice);
}

void IpcColumn::AppendSlice(const FeatureData& slice) {
  IpcArray& leaf = arrays_.back();
  const bool doubles = field_.type == IpcType::kFloat64;
  switch (slice.kind()) {
    case FeatureKind::kNone: return;
    case FeatureKind::kBytes:
      for (const ByteView bytes : slice.bytes()) {
        leaf.values.insert(leaf.values.end(), bytes.begin(), bytes.end());
        leaf.offsets.push_back(static_cast<int32_t>(leaf.values.size()));
        leaf.Add(true);
      }
      return;
    case FeatureKind::kInt32:
    case FeatureKind::kInt64:
      if (field_.type == IpcType::kInt32) return AppendNumbers<int32_t>(slice.integers());
      return AppendNumbers<int64_t>(slice.integers());
    case FeatureKind::kFloat:
      return doubles ? AppendNumbers<double>(slice.floats()) : AppendNumbers<float>(slice.floats());
    case FeatureKind::kDouble: return AppendNumbers<double>(slice.doubles());
  }
}

void IpcColumn::AppendAlone(const ShownRecord& record) {
  const DecodedRecord& decoded = record.decoded();
  if (const Feature* feature = decoded.Find(AsBytes(feature_))) {
    Reserve(decoded, std::span(&feature->value, 1));
  } else if (const FeatureList* list = record.FindList(feature_)) {
    Reserve(decoded, decoded.steps(*list));
  }
  Append(record);
}

// Makes room for exactly these values.
void IpcColumn::Reserve(const DecodedRecord& decoded, std::span<const FeatureValue> values) {
  uint64_t count = 0;
  uint64_t bytes = 0;
  for (const FeatureValue& value : values) {
    count += value.count;
    if (value.kind != FeatureKind::kBytes) continue;
    FeatureSlices slices(decoded, value);
    for (FeatureData slice; slices.Next(&slice);) {
      for (const ByteView one : slice.bytes()) bytes += one.size();
    }
  }
  IpcArray& leaf = arrays_.back();
  leaf.valid.reserve(count / 8 + 1);
  if (IsString(field_.type)) leaf.offsets.reserve(count + 1);
  leaf.values.reserve(IsString(field_.type) ? bytes : count * WidthOf(field_.type));
}

}  // namespace ofindex
