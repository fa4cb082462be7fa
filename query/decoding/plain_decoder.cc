#include "query/decoding/plain_decoder.h"

#include "proto/wire/varint.h"

namespace ofindex {
namespace {

constexpr uint8_t kBytesOf1 = 1 << 3 | 2;

}  // namespace

bool PlainList::Read(ByteView feature, const PlainKinds& kinds, FeatureValues& values) {
  const uint8_t* p = feature.data();
  const uint8_t* const end = p + feature.size();
  if (p == end || *p >= 0x80 || (*p & 7) != 2) return false;
  const uint8_t tag = *p;
  const FeatureKind kind = kinds[tag >> 3];
  if (kind == FeatureKind::kNone || !ReadPlainHeader(tag, end, p)) return false;
  values = {.kind = kind};
  if (p == end) return true;
  if (kind == FeatureKind::kBytes) return ReadStrings(p, end, values);
  if (!ReadPlainHeader(kBytesOf1, end, p)) return false;
  const ByteView packed(p, end);
  if (kind == FeatureKind::kInt32 || kind == FeatureKind::kInt64) return ReadIntegers(packed, values);
  const size_t size = kind == FeatureKind::kFloat ? sizeof(float) : sizeof(double);
  values.count = packed.size() / size;
  values.numbers = p;
  return packed.size() % size == 0;
}

bool PlainList::ReadStrings(const uint8_t* p, const uint8_t* end, FeatureValues& values) {
  strings_.clear();
  while (p != end) {
    ByteView string;
    if (!TakePlainField(kBytesOf1, end, p, string)) return false;
    strings_.push_back(string);
  }
  values.count = strings_.size();
  values.bytes = strings_.data();
  return true;
}

bool PlainList::ReadIntegers(ByteView packed, FeatureValues& values) {
  // There are at most as many values as bytes, so that the loop needs no check for room.
  if (integers_.size() < packed.size()) integers_.resize(packed.size());
  const std::optional<size_t> count = ReadVarints(packed, integers_.data());
  if (!count) return false;
  values.count = *count;
  values.numbers = reinterpret_cast<const uint8_t*>(integers_.data());
  if (values.kind == FeatureKind::kInt32) {
    for (uint64_t i = 0; i < values.count; ++i) integers_[i] = static_cast<int32_t>(integers_[i]);
  }
  return true;
}

void PlainDecoder::RefreshHeaderCache() {
  for (Place& place : places_) place.header_updates_left = kMaxHeaderUpdates;
}

bool PlainDecoder::Decode(ByteView payload, PayloadKind kind, uint64_t record, std::vector<FeatureColumn>& columns) {
  ByteView features;
  if (payload.size() > kMaxMessageBytes || !FindFeatures(payload, kind, features)) return false;
  columns_ = columns.data();
  ++pass_;
  found_ = 0;
  const PlainKinds& kinds = kPlainKinds[kind == PayloadKind::kOfRecord ? 1 : 0];
  return DecodeFeatures(features, kinds, record) && (found_ == seen_.size() || PutAbsent(record));
}

/// Sets `features` to the only map of features in `payload`. The feature lists after it are skipped, if none of them
/// can be wanted.
bool PlainDecoder::FindFeatures(ByteView payload, PayloadKind kind, ByteView& features) const {
  constexpr uint8_t kBytesOf2 = 2 << 3 | 2;
  features = payload;
  if (kind == PayloadKind::kOfRecord) return true;
  if (kind == PayloadKind::kOpaque) return false;
  const uint8_t* p = payload.data();
  const uint8_t* const end = p + payload.size();
  if (!TakePlainField(kBytesOf1, end, p, features)) return false;
  if (kind == PayloadKind::kExample) return p == end;
  return !plan_.may_have_lists() && (p == end || ReadPlainHeader(kBytesOf2, end, p));
}

bool PlainDecoder::DecodeFeatures(ByteView features, const PlainKinds& kinds, uint64_t record) {
  const uint8_t* at = features.data();
  const uint8_t* const end = at + features.size();
  PlainEntry entry;
  for (size_t position = 0; at != end; ++position) {
    if (position < places_.size() && places_[position].cached_header.Read(at, end, entry)) {
      if (!DecodeCached(places_[position].cached_header.feature(), entry, record)) return false;
      at += entry.size;
    } else if (!DecodeEntry(at, end, kinds, position, record)) {
      return false;
    }
  }
  return true;
}

bool PlainDecoder::DecodeCached(uint32_t column, const PlainEntry& entry, uint64_t record) {
  if (column == DecodingPlan::kUnwanted) return true;
  FeatureValues values{.kind = entry.kind, .count = 1};
  if (entry.kind == FeatureKind::kBytes) {
    values.bytes = &entry.value;
  } else {
    values.numbers = reinterpret_cast<const uint8_t*>(&entry.bits);
  }
  return Put(column, values, record);
}

bool PlainDecoder::DecodeEntry(const uint8_t*& at, const uint8_t* end, const PlainKinds& kinds, size_t position,
                               uint64_t record) {
  PlainHeader header;
  if (!ReadPlainHeaderOf(at, end, header)) return false;
  if (position == places_.size() && position < kMaxPlaces) places_.push_back({.column = plan_.Find("")});
  Place* const place = position < places_.size() ? &places_[position] : nullptr;
  const uint32_t column = ColumnOf(header.name, place);
  if (place != nullptr) CacheHeader(at, end, kinds, *place);
  at += header.size;
  if (column == DecodingPlan::kUnwanted) return true;
  FeatureValues values;
  return list_.Read(header.feature, kinds, values) && Put(column, values, record);
}

uint32_t PlainDecoder::ColumnOf(ByteView name, Place* place) const {
  if (place == nullptr) return plan_.Find(AsText(name));
  if (place->name != AsText(name)) {
    place->name = AsText(name);
    place->column = plan_.Find(AsText(name));
  }
  return place->column;
}

void PlainDecoder::CacheHeader(const uint8_t* at, const uint8_t* end, const PlainKinds& kinds, Place& place) {
  if (place.header_updates_left == 0) return;
  --place.header_updates_left;
  PlainEntry entry;
  if (ReadPlainEntry(at, end, kinds, entry) || ReadLongPlainEntry(at, end, kinds, entry)) {
    place.cached_header.Store(at, entry, place.column);
  }
}

bool PlainDecoder::Put(uint32_t column, const FeatureValues& values, uint64_t record) {
  if (seen_[column] == pass_) return false;  // the last entry of a name wins
  seen_[column] = pass_;
  ++found_;
  return columns_[column].Put(values, record) == FeatureFault::kNone;
}

bool PlainDecoder::PutAbsent(uint64_t record) {
  for (size_t column = 0; column < seen_.size(); ++column) {
    if (seen_[column] != pass_ && columns_[column].PutAbsent(record) != FeatureFault::kNone) return false;
  }
  return true;
}

}  // namespace ofindex
