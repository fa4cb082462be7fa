#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "proto/features.h"
#include "tests/proto/message_bytes.h"

namespace ofindex {

/// Makes messages of one kind, the same in every run.
class MessageMaker {
 public:
  MessageMaker(PayloadKind kind, uint64_t seed) : kind_(kind), random_(seed) {}

  /// Returns a message, which is sound unless one of its unusual parts is malformed.
  std::string Make() {
    std::string message;
    for (uint64_t parts = 1 + Below(5) / 4; parts > 0; --parts) message += MakePart();
    return message;
  }

  /// Returns `message` with one mutation: a byte changed or lost, a cut, a range doubled, a piece of `other` inserted.
  std::string Mutate(std::string message, const std::string& other) {
    if (message.empty()) return other;
    const size_t at = Below(message.size());
    const size_t length = Below(std::min<size_t>(message.size() - at, 24)) + 1;
    switch (Below(7)) {
      case 0: message[at] = static_cast<char>(message[at] ^ (1 << Below(8))); break;
      case 1: message[at] = static_cast<char>(Below(256)); break;
      case 2: message.resize(at); break;
      case 3: message.erase(at, 1); break;
      case 4: message.insert(at, message.substr(at, length)); break;
      case 5: message = message.substr(0, at) + other.substr(Below(other.size() + 1)); break;
      default: message += other; break;
    }
    return message;
  }

  /// Returns a number in [0, n).
  uint64_t Below(uint64_t n) { return random_() % n; }

 private:
  bool OneIn(uint64_t n) { return Below(n) == 0; }

  std::string MakePart() {
    if (kind_ == PayloadKind::kOfRecord) return Noise() + MakeMap(false) + Noise();
    std::string part = Noise() + Field(1, MakeMap(false)) + Noise();
    if (kind_ == PayloadKind::kSequenceExample) part += Field(2, MakeMap(true)) + Noise();
    return part;
  }

  std::string MakeMap(bool of_lists) {
    std::string map;
    for (uint64_t entries = Below(5); entries > 0; --entries) map += Field(1, MakeEntry(of_lists)) + Noise();
    return map;
  }

  std::string MakeEntry(bool of_lists) {
    std::string entry;
    if (!OneIn(20)) entry += Field(1, MakeKey());
    entry += Noise();
    if (!OneIn(20)) entry += Field(2, MakeValue(of_lists));
    if (OneIn(10)) entry += Field(2, MakeValue(of_lists));
    if (OneIn(20)) entry += Field(1, MakeKey());
    return entry + Noise();
  }

  std::string MakeKey() {
    static const std::vector<std::string> keys = {
        "", "a", "b", "ab", "label", "image/encoded", "\xc3\xa9", std::string("a\0", 2)};
    return OneIn(60) ? "\xff" : keys[Below(keys.size())];
  }

  std::string MakeValue(bool of_lists) {
    if (!of_lists) return MakeFeature();
    std::string steps;
    for (uint64_t count = Below(4); count > 0; --count) steps += Field(1, MakeFeature()) + Noise();
    return steps;
  }

  std::string MakeFeature() {
    if (OneIn(10)) return Noise();
    std::string feature = Noise();
    for (uint64_t kinds = 1 + Below(6) / 4; kinds > 0; --kinds) {
      const auto number = static_cast<uint32_t>(1 + Below(OneIn(8) ? 6 : kind_ == PayloadKind::kOfRecord ? 5 : 3));
      feature += Field(number, MakeList(KindOfField(kind_, number))) + Noise();
      if (OneIn(6)) feature += Field(number, MakeList(KindOfField(kind_, number)));
    }
    return feature;
  }

  std::string MakeList(FeatureKind kind) {
    std::string list;
    for (uint64_t chunks = Below(3); chunks > 0; --chunks)
      list += MakeChunk(OneIn(30) ? FeatureKind::kInt64 : kind) + Noise();
    return list;
  }

  std::string MakeChunk(FeatureKind kind) {
    if (kind == FeatureKind::kBytes) return Field(1, std::string(Below(OneIn(20) ? 300 : 12), 'x'));
    std::string packed, unpacked;
    for (uint64_t count = Below(5); count > 0; --count) {
      const std::string value = MakeNumber(kind);
      packed += value;
      unpacked += Tag(1, ValueType(kind)) + value;
    }
    return OneIn(2) ? Field(1, packed) : unpacked;
  }

  /// Returns bits of every sort: small numbers, any bits, NaNs with payloads, varints longer than necessary.
  std::string MakeNumber(FeatureKind kind) {
    const uint64_t bits = random_();
    if (kind == FeatureKind::kFloat) return Fixed(static_cast<uint32_t>(OneIn(4) ? bits | 0x7f800000 : bits));
    if (kind == FeatureKind::kDouble) return Fixed(OneIn(4) ? bits | 0x7ff0000000000000 : bits);
    return MakeVarint(bits >> Below(64));
  }

  /// Returns `value` in its shortest form, or padded to at most 10 bytes, or to 11, or with bits above the 64th.
  std::string MakeVarint(uint64_t value) {
    if (!OneIn(10)) return Varint(value);
    std::string varint = Varint(value, OneIn(10) ? 11 : 1 + Below(10));
    if (varint.size() == 10) varint.back() = static_cast<char>(Below(128));
    return varint;
  }

  /// Mostly returns no bytes; otherwise a field that no schema has, or that a schema has with another wire type.
  std::string Noise() {
    if (!OneIn(12)) return "";
    const auto number = static_cast<uint32_t>(OneIn(2) ? 1 + Below(6) : 1 + Below(1u << 29) / (1 + Below(1u << 20)));
    switch (Below(9)) {
      case 0: return VarintField(number, random_());
      case 1: return FixedField(number, uint32_t{7});
      case 2: return FixedField(number, uint64_t{7});
      case 3: return Field(7, "xyz");
      case 4: return Group(number, VarintField(1, 1) + Group(2, Noise()) + Field(3, "z"));
      case 5: return Varint(uint64_t{number} << 3, 1 + Below(6)) + MakeVarint(5);  // a padded tag
      case 6: return Tag(8, WireType::kBytes) + Varint(2, 1 + Below(6)) + "ab";    // a padded length
      case 7:
        return OneIn(8) ? NestedGroups(static_cast<int>(94 + Below(8))) : Group(9, "");  // close to the depth limit
      default: return OneIn(4) ? Varint((8 | random_() << 32) & 0x7ffffffff, 5) + "\1" : "";  // a tag of over 32 bits
    }
  }

  PayloadKind kind_;
  std::mt19937_64 random_;
};

}  // namespace ofindex
