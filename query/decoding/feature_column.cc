#include "query/decoding/feature_column.h"

#include <algorithm>
#include <cstring>

#include "query/decoding/cast.h"

namespace ofindex {
namespace {

constexpr uint64_t kMaxReserved = uint64_t{1} << 20;  // records

template <typename To, typename From, bool exact = false>
bool CastNumbersTo(const uint8_t* from, uint64_t count, uint8_t* to) {
  return CastAll<To, From, exact>(from, count, reinterpret_cast<To*>(to));
}

}  // namespace

uint32_t KindsOf(FeatureSpec::Form form, DataType type) {
  if (type == DataType::kBytes || form == FeatureSpec::Form::kMade) return kBytesKind;
  if (form == FeatureSpec::Form::kRaw) return kBytesKind | kIntegerKinds | kRealKinds;
  return type >= DataType::kFloat16 && type <= DataType::kFloat64 ? kIntegerKinds | kRealKinds : kIntegerKinds;
}

FeatureColumn::FeatureColumn(const FeatureSpec& spec, uint8_t* place)
    : spec_(&spec),
      place_(place),
      item_bytes_(ItemBytes(spec.type)),
      record_bytes_(HasPlace(spec) ? spec.values * item_bytes_ : 0),
      kinds_(KindsOf(spec.form, spec.type)),
      array_{.type = spec.type, .form = spec.form} {
  if (spec.type == DataType::kBytes) array_.offsets.push_back(0);
  if (spec.form == FeatureSpec::Form::kRagged) array_.rows.push_back(0);
  if (spec.type == DataType::kBytes) return;
  WithItem(spec.type, [this](auto item) {
    using Item = decltype(item);
    const auto set = [this](FeatureKind kind, CastNumbers cast) { casts_[static_cast<size_t>(kind)] = cast; };
    set(FeatureKind::kFloat, CastNumbersTo<Item, float>);
    set(FeatureKind::kDouble, CastNumbersTo<Item, double>);
    const bool rounds = spec_->form == FeatureSpec::Form::kRaw;
    const CastNumbers of_integers = rounds ? CastNumbersTo<Item, int64_t> : CastNumbersTo<Item, int64_t, true>;
    set(FeatureKind::kInt32, of_integers);
    set(FeatureKind::kInt64, of_integers);
  });
}

FeatureFault FeatureColumn::Put(const FeatureValues& values, uint64_t record) {
  if (!Takes(values.kind)) return FeatureFault::kKind;
  switch (spec_->form) {
    case FeatureSpec::Form::kFixed: return PutFixed(values, record);
    case FeatureSpec::Form::kRagged: return PutRagged(values);
    case FeatureSpec::Form::kRaw: return PutRaw(values, record);
    case FeatureSpec::Form::kMade: return PutMade(values, record);
  }
  return FeatureFault::kNone;
}

FeatureFault FeatureColumn::PutFixed(const FeatureValues& values, uint64_t record) {
  if (values.count != spec_->values) return FeatureFault::kCount;
  if (values.kind == FeatureKind::kBytes) return AppendStrings(values.bytes, values.count);
  const CastNumbers cast = casts_[static_cast<size_t>(values.kind)];
  return cast(values.numbers, values.count, place_ + record * record_bytes_) ? FeatureFault::kNone
                                                                             : FeatureFault::kValue;
}

FeatureFault FeatureColumn::PutRagged(const FeatureValues& values) {
  if (values.kind == FeatureKind::kBytes) {
    const FeatureFault fault = AppendStrings(values.bytes, values.count);
    if (fault != FeatureFault::kNone) return fault;
  } else {
    const uint64_t size = array_.values.size();
    if (!array_.values.Extend(values.count * item_bytes_)) return FeatureFault::kMemory;
    const CastNumbers cast = casts_[static_cast<size_t>(values.kind)];
    if (!cast(values.numbers, values.count, array_.values.data() + size)) return FeatureFault::kValue;
  }
  array_.rows.push_back(array_.rows.back() + static_cast<int64_t>(values.count));
  return FeatureFault::kNone;
}

FeatureFault FeatureColumn::PutRaw(const FeatureValues& values, uint64_t record) {
  uint8_t* const to = place_ + record * record_bytes_;
  if (values.kind == FeatureKind::kBytes) {
    return values.count == 1 ? PutRawBytes(values.bytes[0], to) : FeatureFault::kStrings;
  }
  const FeatureFault fault = CheckItems(values.count);
  if (fault != FeatureFault::kNone) return fault;
  const uint64_t items = std::min(values.count, spec_->values);
  if (!casts_[static_cast<size_t>(values.kind)](values.numbers, items, to)) return FeatureFault::kValue;
  const uint64_t bytes = items * item_bytes_;
  if (bytes != record_bytes_) std::memset(to + bytes, 0, record_bytes_ - bytes);
  return FeatureFault::kNone;
}

FeatureFault FeatureColumn::PutRawBytes(ByteView bytes, uint8_t* to) {
  if (bytes.size() % item_bytes_ != 0) return FeatureFault::kItemSize;
  const FeatureFault fault = CheckItems(bytes.size() / item_bytes_);
  if (fault != FeatureFault::kNone) return fault;
  const uint64_t size = std::min<uint64_t>(bytes.size(), record_bytes_);
  if (spec_->type == DataType::kBool &&
      std::any_of(bytes.data(), bytes.data() + size, [](uint8_t b) { return b > 1; })) {
    return FeatureFault::kValue;
  }
  if (size != 0) std::memcpy(to, bytes.data(), size);
  if (size != record_bytes_) std::memset(to + size, 0, record_bytes_ - size);
  return FeatureFault::kNone;
}

FeatureFault FeatureColumn::PutMade(const FeatureValues& values, uint64_t record) {
  if (values.count != 1) return FeatureFault::kStrings;
  const Result<void> made = spec_->decoder->Decode(values.bytes[0], place_ + record * record_bytes_);
  return made ? FeatureFault::kNone : FeatureFault::kNotMade;
}

FeatureFault FeatureColumn::CheckItems(uint64_t items) const {
  if (items > spec_->values && !spec_->truncate) return FeatureFault::kTooMany;
  if (items < spec_->values && !spec_->pad) return FeatureFault::kTooFew;
  return FeatureFault::kNone;
}

FeatureFault FeatureColumn::AppendStrings(const ByteView* strings, uint64_t count) {
  for (uint64_t i = 0; i < count; ++i) {
    const ByteView string = strings[i];
    const uint64_t size = array_.values.size();
    if (!array_.values.Extend(string.size())) return FeatureFault::kMemory;
    if (!string.empty()) std::memcpy(array_.values.data() + size, string.data(), string.size());
    array_.offsets.push_back(static_cast<int64_t>(array_.values.size()));
  }
  return FeatureFault::kNone;
}

FeatureFault FeatureColumn::PutAbsent(uint64_t record) {
  if (spec_->form == FeatureSpec::Form::kRagged) {
    array_.rows.push_back(array_.rows.back());
    return FeatureFault::kNone;
  }
  if (spec_->fill) {
    if (record_bytes_ != 0) std::memcpy(place_ + record * record_bytes_, spec_->fill->data(), record_bytes_);
    return FeatureFault::kNone;
  }
  if (!spec_->fill_bytes) return FeatureFault::kAbsent;
  for (const std::string& string : *spec_->fill_bytes) {
    const ByteView bytes = AsBytes(string);
    const FeatureFault fault = AppendStrings(&bytes, 1);
    if (fault != FeatureFault::kNone) return fault;
  }
  return FeatureFault::kNone;
}

void FeatureColumn::Rewind(uint64_t records) {
  if (HasPlace(*spec_)) return;
  if (spec_->form == FeatureSpec::Form::kRagged) array_.rows.resize(records + 1);
  const uint64_t values = ValuesOf(records);
  if (spec_->type == DataType::kBytes) array_.offsets.resize(values + 1);
  array_.values.Shrink(BytesOf(values));
}

void FeatureColumn::ReserveFor(uint64_t records, uint64_t bytes) {
  if (HasPlace(*spec_)) return;
  static_cast<void>(array_.values.Reserve(bytes));
  const uint64_t rows = std::min(records, kMaxReserved) + 1;
  if (spec_->form == FeatureSpec::Form::kRagged) {
    array_.rows.reserve(rows);
  } else if (spec_->values == 1) {
    array_.offsets.reserve(rows);
  }
}

}  // namespace ofindex
