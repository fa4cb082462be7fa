#pragma once

#include <bit>
#include <string>
#include <vector>

#include "proto/features.h"
#include "tests/proto/message_bytes.h"
#include "tests/proto/random_bytes.h"

namespace ofindex {

// Random records. Most have one shape, so that a decoder may predict it, and some have another.

/// Names. The place of a name in the list mostly determines the kind of its values.
inline const std::vector<std::string>& RandomNames() {
  static const std::vector<std::string> names = {"", "image", "score", "d", "i", "label", "other", "l[]"};
  return names;
}

inline std::string RandomValues(FeatureKind kind, size_t count, Dice& dice) {
  std::string list;
  if (kind == FeatureKind::kBytes) {
    for (size_t i = 0; i < count; ++i) list += Field(1, std::string(dice.Below(dice.OneIn(4) ? 300 : 20), 'b'));
    return list;
  }
  for (size_t i = 0; i < count; ++i) {
    if (kind == FeatureKind::kFloat) {
      list += Fixed(static_cast<float>(dice.Below(100)));
    } else if (kind == FeatureKind::kDouble) {
      list += Fixed(dice.OneIn(50) ? 1e300 : static_cast<double>(dice.Below(100)));
    } else {
      list += Varint(dice.OneIn(20) ? dice.Bits() : dice.Below(300));
    }
  }
  return count == 0 && dice.OneIn(2) ? "" : Field(1, list);
}

inline FeatureKind RandomKind(PayloadKind payload, size_t name, Dice& dice) {
  const uint32_t kinds = payload == PayloadKind::kOfRecord ? 5 : 3;
  auto number = static_cast<uint32_t>(name % kinds + 1);
  if (dice.OneIn(60)) number = static_cast<uint32_t>(1 + dice.Below(kinds));
  return KindOfField(payload, number);
}

inline std::string RandomFeature(PayloadKind payload, size_t name, Dice& dice) {
  if (dice.OneIn(40)) return "";
  const FeatureKind kind = RandomKind(payload, name, dice);
  const size_t count = dice.OneIn(name % 2 == 0 ? 30 : 2) ? dice.Below(5) : 1;
  std::string list = RandomValues(kind, count, dice);
  if (dice.OneIn(40)) list += RandomValues(kind, 1, dice);  // two packed lists
  if (dice.OneIn(40)) list += kind == FeatureKind::kFloat ? FixedField(1, 2.5f) : VarintField(1, 77);
  if (dice.OneIn(30)) list += Noise(dice);
  std::string feature = Field(FieldOfKind(payload, kind), list);
  if (dice.OneIn(50)) feature += Field(FieldOfKind(payload, RandomKind(payload, 1, dice)), "");
  return feature;
}

inline std::string RandomEntry(PayloadKind payload, size_t name, Dice& dice) {
  const std::string key = Field(1, RandomNames()[name]);
  const std::string value = Field(2, RandomFeature(payload, name, dice));
  switch (dice.Below(60)) {
    case 0: return Field(1, value + key);
    case 1: return Field(1, key + value + Field(1, RandomNames()[dice.Below(RandomNames().size())]));
    case 2: return Field(1, key + value + value);
    case 3: return Field(1, key + value + Noise(dice));
    case 4: return Field(1, dice.OneIn(2) ? key : value);
    default: return Field(1, key + value);
  }
}

inline std::string RandomFeatures(PayloadKind payload, Dice& dice) {
  std::string features;
  for (size_t name = 0; name < RandomNames().size(); ++name) {
    if (!dice.OneIn(25)) features += RandomEntry(payload, name, dice);
    if (dice.OneIn(60)) features += RandomEntry(payload, dice.Below(RandomNames().size()), dice);
    if (dice.OneIn(60)) features += Noise(dice);
  }
  return features;
}

inline std::string RandomLists(PayloadKind payload, Dice& dice) {
  std::string steps;
  for (uint64_t n = dice.Below(4); n > 0; --n) steps += Field(1, RandomFeature(payload, 5, dice));
  return Field(1, Field(1, dice.OneIn(2) ? "l" : "image") + Field(2, steps));
}

inline std::string RandomRecord(PayloadKind payload, Dice& dice) {
  std::string record = RandomFeatures(payload, dice);
  if (payload == PayloadKind::kOfRecord) return record;
  record = Field(1, record);
  if (payload == PayloadKind::kSequenceExample) record += Field(2, RandomLists(payload, dice));
  if (dice.OneIn(40)) record += dice.OneIn(2) ? Noise(dice) : Field(1, RandomFeatures(payload, dice));
  return record;
}

}  // namespace ofindex
