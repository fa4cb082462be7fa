#include "query/decoding/plain_list.h"

#include "proto/wire/varint.h"

namespace ofindex {
namespace {

constexpr uint8_t kBytesOf1 = 1 << 3 | 2;
constexpr size_t kMostVarint = 10;

}  // namespace

bool PlainList::Read(ByteView feature, const PlainKinds& kinds, FeatureValues& values) {
  const uint8_t* p = feature.data();
  const uint8_t* const end = p + feature.size();
  if (p == end || *p >= 0x80 || (*p & 7) != 2) return false;
  const uint8_t tag = *p;
  const FeatureKind kind = kinds[tag >> 3];
  if (kind == FeatureKind::kNone || !ReadPlainHead(tag, end, p)) return false;
  values = {.kind = kind};
  if (p == end) return true;
  if (kind == FeatureKind::kBytes) return ReadStrings(p, end, values);
  if (!ReadPlainHead(kBytesOf1, end, p)) return false;
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
  // No more values than bytes: none is looked at whether it has a place.
  if (integers_.size() < packed.size()) integers_.resize(packed.size());
  int64_t* to = integers_.data();
  const uint8_t* p = packed.data();
  const uint8_t* const end = p + packed.size();
  while (p != end) {
    uint64_t value = *p;
    if (value < 0x80) {
      ++p;
    } else {
      const auto left = static_cast<size_t>(end - p);
      const size_t size = TakeVarint({p, left < kMostVarint ? left : kMostVarint}, &value);
      if (size == 0) return false;
      p += size;
    }
    *to++ = static_cast<int64_t>(value);
  }
  values.count = static_cast<uint64_t>(to - integers_.data());
  values.numbers = reinterpret_cast<const uint8_t*>(integers_.data());
  if (values.kind == FeatureKind::kInt32) {
    for (uint64_t i = 0; i < values.count; ++i) integers_[i] = static_cast<int32_t>(integers_[i]);
  }
  return true;
}

}  // namespace ofindex
