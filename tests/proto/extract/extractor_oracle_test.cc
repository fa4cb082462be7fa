#include "tests/proto/extract/extractor_oracle.h"

#include <doctest/doctest.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/message.h>
#include <google/protobuf/stubs/logging.h>

#include <bit>
#include <map>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include "base/text.h"
#include "proto/example.pb.h"
#include "proto/extract/extractor.h"
#include "proto/extract/field_plan.h"
#include "proto/features.h"
#include "proto/ofrecord.pb.h"
#include "tests/proto/message_bytes.h"

// Random Examples, SequenceExamples and OFRecords. A refusal must have the byte and reason that DecodedRecord gives.

namespace ofindex {
namespace {

constexpr int kExtractedMessages = 60000;  // of each of the three kinds

// ---------------------------------------------------------------- messages made by libprotobuf

std::string RandomName(Dice& dice) {
  static const std::vector<std::string> names = {"", "a", "b", "ab[]", "ab", "label", "image/encoded", "\xc3\xa9"};
  return names[dice.Below(names.size())];
}

int RandomCount(Dice& dice) { return static_cast<int>(dice.OneIn(3) ? dice.Below(20) : 1); }

template <typename List, typename Make>
void FillList(List* list, Dice& dice, Make make) {
  for (int n = RandomCount(dice); n > 0; --n) list->add_value(make());
}

template <typename Feature>
void FillFeature(Feature* feature, Dice& dice) {
  const auto integer = [&] { return static_cast<int64_t>(dice.Bits() >> dice.Below(64)); };
  switch (dice.Below(std::is_same_v<Feature, tensorflow::Feature> ? 4 : 6)) {
    case 0: return;
    case 1: return FillList(feature->mutable_bytes_list(), dice, [&] { return std::string(dice.Below(30), 'x'); });
    case 2:
      return FillList(feature->mutable_float_list(), dice,
                      [&] { return std::bit_cast<float>(static_cast<uint32_t>(dice.Bits())); });
    case 3: return FillList(feature->mutable_int64_list(), dice, integer);
    default: break;
  }
  if constexpr (!std::is_same_v<Feature, tensorflow::Feature>) {
    if (dice.OneIn(2))
      return FillList(feature->mutable_int32_list(), dice, [&] { return static_cast<int32_t>(integer()); });
    FillList(feature->mutable_double_list(), dice, [&] { return std::bit_cast<double>(dice.Bits()); });
  }
}

template <typename Map>
void FillMap(Map* map, Dice& dice) {
  for (uint64_t n = dice.Below(6); n > 0; --n) FillFeature(&(*map)[RandomName(dice)], dice);
}

std::string MadeOf(tensorflow::Example message, Dice& dice) {
  FillMap(message.mutable_features()->mutable_feature(), dice);
  return message.SerializeAsString();
}

std::string MadeOf(tensorflow::SequenceExample message, Dice& dice) {
  FillMap(message.mutable_context()->mutable_feature(), dice);
  for (uint64_t n = dice.Below(4); n > 0; --n) {
    auto& list = (*message.mutable_feature_lists()->mutable_feature_list())[RandomName(dice)];
    for (uint64_t steps = dice.Below(4); steps > 0; --steps) FillFeature(list.add_feature(), dice);
  }
  return message.SerializeAsString();
}

std::string MadeOf(oneflow::OFRecord message, Dice& dice) {
  FillMap(message.mutable_feature(), dice);
  return message.SerializeAsString();
}

// Encodings that libprotobuf never writes: unpacked numbers, several chunks, several kinds, values before names.

std::string OddList(FeatureKind kind, Dice& dice) {
  std::string list;
  for (int n = RandomCount(dice); n > 0; --n) {
    if (kind == FeatureKind::kBytes) {
      list += Field(1, "yy");
    } else if (kind == FeatureKind::kFloat) {
      list += dice.OneIn(2) ? FixedField(1, 1.5f) : PackedFixed({0.5f, -0.0f});
    } else if (kind == FeatureKind::kDouble) {
      list += dice.OneIn(2) ? FixedField(1, 1.5) : PackedFixed({0.5, -0.0});
    } else {
      const std::string value = Varint(dice.Bits() >> dice.Below(64), 1 + dice.Below(11));
      list += dice.OneIn(2) ? Tag(1, WireType::kVarint) + value : Field(1, value + Varint(dice.Below(1000)));
    }
    list += Noise(dice);
  }
  return list;
}

std::string OddFeature(PayloadKind kind, Dice& dice) {
  std::string feature;
  for (uint64_t n = dice.Below(4); n > 0; --n) {
    const auto number = static_cast<uint32_t>(1 + dice.Below(kind == PayloadKind::kOfRecord ? 5 : 3));
    feature += Field(number, OddList(KindOfField(kind, number), dice)) + Noise(dice);
  }
  return feature;
}

std::string OddEntry(PayloadKind kind, bool is_list, Dice& dice) {
  std::string entry;
  for (uint64_t n = dice.Below(5); n > 0; --n) {
    std::string value = is_list ? "" : OddFeature(kind, dice);
    for (uint64_t steps = is_list ? dice.Below(4) : 0; steps > 0; --steps) value += Field(1, OddFeature(kind, dice));
    entry += dice.OneIn(3) ? Field(1, RandomName(dice)) : Field(2, value);
    entry += Noise(dice);
  }
  return Field(1, entry);
}

std::string OddPart(PayloadKind kind, Dice& dice) {
  std::string part = Noise(dice) + OddEntry(kind, false, dice) + Noise(dice) + OddEntry(kind, false, dice);
  if (kind == PayloadKind::kOfRecord) return part;
  part = Field(1, part) + Noise(dice);
  return kind == PayloadKind::kExample ? part
                                       : part + Field(2, OddEntry(kind, true, dice) + OddEntry(kind, true, dice));
}

/// One to three concatenated messages, which form one message: their maps merge.
template <typename Message>
std::string RandomPayload(PayloadKind kind, Dice& dice) {
  std::string payload;
  for (uint64_t n = 1 + dice.Below(4) / 2; n > 0; --n) {
    payload += dice.OneIn(2) ? MadeOf(Message(), dice) : OddPart(kind, dice);
  }
  return payload;
}

// ---------------- libprotobuf's content, spelled as an extractor's result

FeatureKind KindNamed(std::string_view oneof_member) {
  for (const FeatureKind kind :
       {FeatureKind::kBytes, FeatureKind::kFloat, FeatureKind::kDouble, FeatureKind::kInt32, FeatureKind::kInt64}) {
    if (oneof_member == StrCat(Name(kind), "_list")) return kind;
  }
  return FeatureKind::kNone;
}

WholeFeature::Step StepOf(const pb::Message& feature) {
  const pb::OneofDescriptor* kinds = feature.GetDescriptor()->oneof_decl(0);
  const pb::FieldDescriptor* kind = feature.GetReflection()->GetOneofFieldDescriptor(feature, kinds);
  if (kind == nullptr) return {};
  WholeFeature::Step step{.kind = KindNamed(kind->name())};
  const pb::Message& list = feature.GetReflection()->GetMessage(feature, kind);
  const pb::FieldDescriptor* value = list.GetDescriptor()->field(0);
  for (int i = 0; i < list.GetReflection()->FieldSize(list, value); ++i)
    step.values.push_back(SpellValue(list, value, i));
  return step;
}

/// Adds the entries of the map that is field 1 of `message`; later entries of a name replace earlier ones.
void AddEntries(const pb::Message& message, bool are_lists, std::map<std::string, WholeFeature>* features) {
  const pb::FieldDescriptor* map = message.GetDescriptor()->field(0);
  for (int i = 0; i < message.GetReflection()->FieldSize(message, map); ++i) {
    const pb::Message& entry = message.GetReflection()->GetRepeatedMessage(message, map, i);
    const pb::Reflection& in = *entry.GetReflection();
    WholeFeature feature{.name = in.GetString(entry, entry.GetDescriptor()->FindFieldByNumber(1))};
    const pb::Message& value = in.GetMessage(entry, entry.GetDescriptor()->FindFieldByNumber(2));
    if (are_lists) {
      feature.name += "[]";
      const pb::FieldDescriptor* step = value.GetDescriptor()->field(0);
      for (int s = 0; s < value.GetReflection()->FieldSize(value, step); ++s) {
        feature.steps.push_back(StepOf(value.GetReflection()->GetRepeatedMessage(value, step, s)));
      }
    } else {
      feature.steps.push_back(StepOf(value));
    }
    (*features)[feature.name] = feature;
  }
}

std::string SpellExpectedFeatures(const pb::Message& message, const std::set<std::string>& whole) {
  std::map<std::string, WholeFeature> features;
  if (message.GetDescriptor()->name() == "OFRecord") {
    AddEntries(message, false, &features);
  } else {
    for (int part = 0; part < message.GetDescriptor()->field_count(); ++part) {
      const pb::FieldDescriptor* field = message.GetDescriptor()->field(part);
      AddEntries(message.GetReflection()->GetMessage(message, field), part == 1, &features);
    }
  }
  std::vector<std::string> lines;
  for (const auto& [name, feature] : features) lines.push_back(SpellExpected(feature, whole.contains(name)));
  return Joined(lines);
}

// ---------------------------------------------------------------- the comparison

pb::FileDescriptorProto FileOf(const pb::Descriptor& type) {
  pb::FileDescriptorProto file;
  type.file()->CopyTo(&file);
  return file;
}

template <typename Message>
void CompareManyExtractions(PayloadKind kind, uint64_t seed) {
  const pb::LogSilencer no_text_about_utf8;
  const std::vector<std::string> whole = {"a", "label", "ab[]", "b[]"};
  const std::set<std::string> whole_set(whole.begin(), whole.end());
  DynamicType oracle(FileOf(*Message::descriptor()), Message::descriptor()->name());
  Dice dice(seed);
  Extractor extractor(FieldPlan::Of(kind), whole);
  Extractor paged(FieldPlan::Of(kind), whole);
  Tally tally;
  std::string other;
  for (int i = 0; i < kExtractedMessages; ++i) {
    const std::string sound = RandomPayload<Message>(kind, dice);
    std::string payload = sound;
    for (uint64_t n = i % 2 == 0 ? 0 : 1 + dice.Below(3); n > 0; --n) payload = Mutated(payload, other, dice);
    const bool accepted = oracle.Parses(payload);
    (accepted ? tally.accepted : tally.refused) += 1;
    const std::string expected =
        accepted ? SpellExpectedFeatures(oracle.message(), whole_set) : SpellDecoded(payload, kind, whole);
    CompareExtractions(payload, expected, whole, extractor, paged, dice, &tally);
    other = sound;
  }
  CheckTally(tally, kExtractedMessages);
}

TEST_CASE("an Example is extracted as libprotobuf decodes it, whatever its bytes") {
  CompareManyExtractions<tensorflow::Example>(PayloadKind::kExample, 11);
}

TEST_CASE("a SequenceExample is extracted as libprotobuf decodes it, whatever its bytes") {
  CompareManyExtractions<tensorflow::SequenceExample>(PayloadKind::kSequenceExample, 12);
}

TEST_CASE("an OFRecord is extracted as libprotobuf decodes it, whatever its bytes") {
  CompareManyExtractions<oneflow::OFRecord>(PayloadKind::kOfRecord, 13);
}

}  // namespace
}  // namespace ofindex
