#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

#include "bench/limits/shards.h"

namespace limits {

/// Reads the varint at `at`, and moves `at` past it. Checks nothing.
inline uint64_t ReadVarint(const uint8_t*& at) {
  uint64_t value = *at & 0x7f;
  for (int shift = 7; (*at++ & 0x80) != 0; shift += 7) value |= static_cast<uint64_t>(*at & 0x7f) << shift;
  return value;
}

/// Returns the content of a length-delimited field with a one-byte tag, and moves `at` past it.
inline std::string_view ReadField(const uint8_t*& at) {
  ++at;
  const uint64_t size = ReadVarint(at);
  const std::string_view content(reinterpret_cast<const char*>(at), size);
  at += size;
  return content;
}

inline const uint8_t* Begin(std::string_view bytes) { return reinterpret_cast<const uint8_t*>(bytes.data()); }

/// Calls store(name, value) for each feature of an Example, with the bytes of its value. Relies on the layout of
/// bench/limits/records.h, but not on the order of the features.
template <typename Store>
void Decode(Place record, const Store& store) {
  const uint8_t* at = record.data;
  const std::string_view features = ReadField(at);
  const uint8_t* const end = Begin(features) + features.size();
  for (at = Begin(features); at < end;) {
    const std::string_view entry = ReadField(at);
    const uint8_t* in_entry = Begin(entry);
    const std::string_view name = ReadField(in_entry);
    const uint8_t* in_feature = Begin(ReadField(in_entry));
    const uint8_t* in_list = Begin(ReadField(in_feature));
    store(name, ReadField(in_list));
  }
}

inline int64_t Int64In(std::string_view value) {
  const uint8_t* at = Begin(value);
  return static_cast<int64_t>(ReadVarint(at));
}

inline float FloatIn(std::string_view value) {
  float number;
  std::memcpy(&number, value.data(), sizeof number);
  return number;
}

}  // namespace limits
