#pragma once

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "proto/wire/wire.h"

namespace ofindex {

// Verbs that write protobuf messages piece by piece, including unusual ones. Messages are strings of bytes, so + joins.

/// Returns `value` as a varint, padded with zero bits to at least `min_bytes`.
inline std::string Varint(uint64_t value, size_t min_bytes = 1) {
  std::string bytes;
  while (value >= 0x80 || bytes.size() + 1 < min_bytes) {
    bytes.push_back(static_cast<char>(0x80 | (value & 0x7f)));
    value >>= 7;
  }
  bytes.push_back(static_cast<char>(value));
  return bytes;
}

inline std::string Tag(uint32_t number, WireType type) {
  return Varint(uint64_t{number} << 3 | static_cast<uint8_t>(type));
}

/// Returns the bytes of a fixed-size number, as in memory.
template <typename T>
std::string Fixed(T value) {
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

inline std::string Field(uint32_t number, std::string_view content) {
  return Tag(number, WireType::kBytes) + Varint(content.size()) + std::string(content);
}

inline std::string VarintField(uint32_t number, uint64_t value) {
  return Tag(number, WireType::kVarint) + Varint(value);
}

template <typename T>
std::string FixedField(uint32_t number, T value) {
  return Tag(number, sizeof value == 8 ? WireType::kFixed64 : WireType::kFixed32) + Fixed(value);
}

inline std::string Group(uint32_t number, std::string_view content) {
  return Tag(number, WireType::kGroup) + std::string(content) + Tag(number, WireType::kEndGroup);
}

/// Returns `levels` nested groups.
inline std::string NestedGroups(int levels) {
  std::string bytes;
  for (int i = 0; i < levels; ++i) bytes = Group(9, bytes);
  return bytes;
}

/// Returns one entry of a map, as field 1 of the message that holds the map.
inline std::string Entry(std::string_view key, std::string_view value) {
  return Field(1, Field(1, key) + Field(2, value));
}

inline std::string BytesList(std::initializer_list<std::string_view> values) {
  std::string list;
  for (std::string_view value : values) list += Field(1, value);
  return list;
}

inline std::string PackedVarints(std::initializer_list<int64_t> values) {
  std::string packed;
  for (int64_t value : values) packed += Varint(static_cast<uint64_t>(value));
  return Field(1, packed);
}

template <typename T>
std::string PackedFixed(std::initializer_list<T> values) {
  std::string packed;
  for (T value : values) packed += Fixed(value);
  return Field(1, packed);
}

// Features of an Example: kinds 1 bytes, 2 float, 3 int64.
inline std::string ByteStrings(std::initializer_list<std::string_view> values) { return Field(1, BytesList(values)); }
inline std::string Int64s(std::initializer_list<int64_t> values) { return Field(3, PackedVarints(values)); }

}  // namespace ofindex
