#include <doctest/doctest.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/dynamic_message.h>
#include <google/protobuf/message.h>
#include <google/protobuf/stubs/logging.h>

#include <algorithm>
#include <bit>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/text.h"
#include "proto/example.pb.h"
#include "proto/features.h"
#include "proto/field_plan.h"
#include "proto/ofrecord.pb.h"
#include "proto/skimmer.h"
#include "tests/proto/message_bytes.h"
#include "tests/proto/skimming.h"

// Random messages, sound and broken, are given to libprotobuf and to the skimmer, in memory and in small pieces: all
// have to refuse them, or to agree on every feature, count and value. What is refused has the byte and reason of
// DecodedRecord.

namespace ofindex {
namespace {

namespace pb = google::protobuf;

constexpr int kMessages = 60000;      // of each of the three kinds
constexpr int kUserMessages = 40000;  // of a message that only its descriptor tells of

/// Numbers, the same ones in every run.
class Dice {
 public:
  explicit Dice(uint64_t seed) : random_(seed) {}
  uint64_t Bits() { return random_(); }
  uint64_t Below(uint64_t n) { return random_() % n; }
  bool OneIn(uint64_t n) { return Below(n) == 0; }

 private:
  std::mt19937_64 random_;
};

/// `message` with one thing done to it.
std::string Mutated(std::string message, const std::string& other, Dice& dice) {
  if (message.empty()) return other;
  const size_t at = dice.Below(message.size());
  switch (dice.Below(7)) {
    case 0: message[at] = static_cast<char>(message[at] ^ (1 << dice.Below(8))); break;
    case 1: message[at] = static_cast<char>(dice.Below(256)); break;
    case 2: message.resize(at); break;
    case 3: message.erase(at, 1 + dice.Below(3)); break;
    case 4: message.insert(at, message.substr(dice.Below(message.size()), 1 + dice.Below(16))); break;
    case 5: message.insert(at, 1, static_cast<char>(dice.Below(256))); break;
    default: message = message.substr(0, at) + other.substr(dice.Below(other.size() + 1)); break;
  }
  return message;
}

/// Unknown to every schema here, and sound.
std::string Noise(Dice& dice) {
  if (!dice.OneIn(6)) return "";
  const auto number = static_cast<uint32_t>(90 + dice.Below(1000));
  switch (dice.Below(5)) {
    case 0: return VarintField(number, dice.Bits());
    case 1: return FixedField(number, uint32_t{7});
    case 2: return FixedField(number, dice.Bits());
    case 3: return Group(number, VarintField(1, 1) + Group(2, Field(3, "z")));
    default: return Field(number, "\xff\xff");
  }
}

// ---------------------------------------------------------------- Example, SequenceExample, OFRecord: made by
// libprotobuf

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

// What libprotobuf would never write: numbers that are not packed, several chunks, several kinds, values before names.

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

/// One to three messages, one behind the other, which is one message: their maps merge.
template <typename Message>
std::string RandomPayload(PayloadKind kind, Dice& dice) {
  std::string payload;
  for (uint64_t n = 1 + dice.Below(4) / 2; n > 0; --n) {
    payload += dice.OneIn(2) ? MadeOf(Message(), dice) : OddPart(kind, dice);
  }
  return payload;
}

// ---------------------------------------------------------------- what libprotobuf reads, spelled as a skimmer's finds

std::string SpellValue(const pb::Message& message, const pb::FieldDescriptor* field, int i) {
  const pb::Reflection& in = *message.GetReflection();
  const bool repeated = field->is_repeated();
  const auto bits = [](int64_t value) { return std::to_string(static_cast<uint64_t>(value)); };
  switch (field->cpp_type()) {
    case pb::FieldDescriptor::CPPTYPE_STRING:
      return repeated ? in.GetRepeatedString(message, field, i) : in.GetString(message, field);
    case pb::FieldDescriptor::CPPTYPE_FLOAT:
      return std::to_string(
          std::bit_cast<uint32_t>(repeated ? in.GetRepeatedFloat(message, field, i) : in.GetFloat(message, field)));
    case pb::FieldDescriptor::CPPTYPE_DOUBLE:
      return std::to_string(
          std::bit_cast<uint64_t>(repeated ? in.GetRepeatedDouble(message, field, i) : in.GetDouble(message, field)));
    case pb::FieldDescriptor::CPPTYPE_INT32:
      return bits(repeated ? in.GetRepeatedInt32(message, field, i) : in.GetInt32(message, field));
    case pb::FieldDescriptor::CPPTYPE_UINT32:
      return bits(repeated ? in.GetRepeatedUInt32(message, field, i) : in.GetUInt32(message, field));
    case pb::FieldDescriptor::CPPTYPE_BOOL:
      return bits(repeated ? in.GetRepeatedBool(message, field, i) : in.GetBool(message, field));
    case pb::FieldDescriptor::CPPTYPE_UINT64:
      return std::to_string(repeated ? in.GetRepeatedUInt64(message, field, i) : in.GetUInt64(message, field));
    default: return bits(repeated ? in.GetRepeatedInt64(message, field, i) : in.GetInt64(message, field));
  }
}

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

/// Adds the entries of the map that is field 1 of `message`, those of a name later in it over those before.
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

std::string Joined(std::vector<std::string> lines) {
  std::sort(lines.begin(), lines.end());
  std::string text;
  for (const std::string& line : lines) text += line;
  return text;
}

std::string SpellOracle(const pb::Message& message, const std::set<std::string>& whole) {
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

/// A message type that exists as a descriptor alone, under proto2, which does not refuse names that are not UTF-8.
class DynamicType {
 public:
  DynamicType(pb::FileDescriptorProto file, const std::string& name) {
    file.set_syntax("proto2");
    type_ = pool_.BuildFile(file)->FindMessageTypeByName(name);
    message_.reset(factory_.GetPrototype(type_)->New());
  }

  pb::Message& message() { return *message_; }

  bool Parses(const std::string& payload) {
    return message_->ParseFromArray(payload.data(), static_cast<int>(payload.size()));
  }

 private:
  pb::DescriptorPool pool_;
  pb::DynamicMessageFactory factory_;
  const pb::Descriptor* type_;
  std::unique_ptr<pb::Message> message_;
};

pb::FileDescriptorProto FileOf(const pb::Descriptor& type) {
  pb::FileDescriptorProto file;
  type.file()->CopyTo(&file);
  return file;
}

/// How often the skimmer and its oracle met. The first difference is kept, so that a fault does not print thousands.
struct Tally {
  int accepted = 0;
  int refused = 0;
  int different = 0;
  std::string first_difference = {};

  void Compare(const std::string& expected, const std::string& got, const std::string& payload) {
    if (expected == got) return;
    ++different;
    if (first_difference.empty()) {
      first_difference = "payload " + ToHex(AsBytes(payload)) + "\nexpected\n" + expected + "\ngot\n" + got;
    }
  }
};

/// Skims `payload` in memory and in pieces, and compares both with `expected`.
void CompareSkims(const std::string& payload, const std::string& expected, const std::vector<std::string>& whole,
                  Skimmer& skimmer, Skimmer& paged, Dice& dice, Tally* tally) {
  // On the heap, of its own size: AddressSanitizer sees a byte too far.
  const std::vector<uint8_t> exact(payload.begin(), payload.end());
  tally->Compare(expected, SpellOutcome(skimmer, skimmer.Skim(exact), whole), payload);
  SmallPages pages(payload, dice.Below(40));
  tally->Compare(expected, SpellOutcome(paged, paged.Skim(pages, payload.size()), whole), payload);
  if (dice.OneIn(1000)) {
    skimmer.Forget();
    paged.Forget();
  }
}

void CheckTally(const Tally& tally, int messages) {
  CAPTURE(tally.first_difference);
  CHECK(tally.different == 0);
  // The sample is worth something: it has plenty of both.
  CHECK(tally.accepted > messages / 4);
  CHECK(tally.refused > messages / 8);
}

template <typename Message>
void CompareMany(PayloadKind kind, uint64_t seed) {
  const pb::LogSilencer no_text_about_utf8;
  const std::vector<std::string> whole = {"a", "label", "ab[]", "b[]"};
  const std::set<std::string> whole_set(whole.begin(), whole.end());
  DynamicType oracle(FileOf(*Message::descriptor()), Message::descriptor()->name());
  Dice dice(seed);
  Skimmer skimmer(FieldPlan::Of(kind), whole);
  Skimmer paged(FieldPlan::Of(kind), whole);
  Tally tally;
  std::string other;
  for (int i = 0; i < kMessages; ++i) {
    const std::string sound = RandomPayload<Message>(kind, dice);
    std::string payload = sound;
    for (uint64_t n = i % 2 == 0 ? 0 : 1 + dice.Below(3); n > 0; --n) payload = Mutated(payload, other, dice);
    const bool accepted = oracle.Parses(payload);
    (accepted ? tally.accepted : tally.refused) += 1;
    const std::string expected =
        accepted ? SpellOracle(oracle.message(), whole_set) : SpellDecoded(payload, kind, whole);
    CompareSkims(payload, expected, whole, skimmer, paged, dice, &tally);
    other = sound;
  }
  CheckTally(tally, kMessages);
}

TEST_CASE("an Example is skimmed as libprotobuf reads it, whatever its bytes") {
  CompareMany<tensorflow::Example>(PayloadKind::kExample, 11);
}

TEST_CASE("a SequenceExample is skimmed as libprotobuf reads it, whatever its bytes") {
  CompareMany<tensorflow::SequenceExample>(PayloadKind::kSequenceExample, 12);
}

TEST_CASE("an OFRecord is skimmed as libprotobuf reads it, whatever its bytes") {
  CompareMany<oneflow::OFRecord>(PayloadKind::kOfRecord, 13);
}

// ---------------------------------------------------------------- messages of users

using FieldProto = pb::FieldDescriptorProto;

/// Adds the fields of one message of the test: each scalar once singular and once repeated, packed if its number is
/// even.
void AddScalars(pb::DescriptorProto* message) {
  int number = 1;
  for (int type = 1; type <= FieldProto::TYPE_SINT64; ++type) {
    const auto wire = static_cast<FieldProto::Type>(type);
    if (wire == FieldProto::TYPE_GROUP || wire == FieldProto::TYPE_MESSAGE || wire == FieldProto::TYPE_ENUM) continue;
    for (const auto label : {FieldProto::LABEL_OPTIONAL, FieldProto::LABEL_REPEATED}) {
      FieldProto* field = message->add_field();
      field->set_name(StrCat(label == FieldProto::LABEL_REPEATED ? "many" : "one", type));
      field->set_number(number++);
      field->set_type(wire);
      field->set_label(label);
      const bool packable = wire != FieldProto::TYPE_STRING && wire != FieldProto::TYPE_BYTES;
      if (label == FieldProto::LABEL_REPEATED && packable) field->mutable_options()->set_packed(type % 2 == 0);
    }
  }
}

void AddMessageField(pb::DescriptorProto* message, std::string name, int number, bool repeated, bool group,
                     std::string type_name) {
  FieldProto* field = message->add_field();
  field->set_name(std::move(name));
  field->set_number(number);
  field->set_type(group ? FieldProto::TYPE_GROUP : FieldProto::TYPE_MESSAGE);
  field->set_label(repeated ? FieldProto::LABEL_REPEATED : FieldProto::LABEL_OPTIONAL);
  field->set_type_name(std::move(type_name));
}

/// test.Outer { scalars; Inner inner; repeated Inner inners; group Part; repeated group Parts }, each of them with
/// scalars and Inner with a Leaf and Leaves of its own.
pb::FileDescriptorProto UserFile() {
  pb::FileDescriptorProto file;
  file.set_name("test.proto");
  file.set_package("test");
  pb::DescriptorProto* outer = file.add_message_type();
  outer->set_name("Outer");
  AddScalars(outer);
  AddMessageField(outer, "inner", 50, false, false, ".test.Outer.Inner");
  AddMessageField(outer, "inners", 51, true, false, ".test.Outer.Inner");
  AddMessageField(outer, "part", 52, false, true, ".test.Outer.Part");
  AddMessageField(outer, "parts", 53, true, true, ".test.Outer.Parts");
  for (const char* name : {"Inner", "Part", "Parts"}) {
    pb::DescriptorProto* nested = outer->add_nested_type();
    nested->set_name(name);
    AddScalars(nested);
    if (std::string_view(name) == "Inner") {
      AddMessageField(nested, "leaf", 60, false, false, ".test.Leaf");
      AddMessageField(nested, "leaves", 61, true, false, ".test.Leaf");
    }
  }
  pb::DescriptorProto* leaf = file.add_message_type();
  leaf->set_name("Leaf");
  AddScalars(leaf);
  return file;
}

/// Every column that a message of `type` has, at any depth.
void AddColumns(const pb::Descriptor& type, const std::string& prefix, std::vector<std::string>* columns) {
  for (int i = 0; i < type.field_count(); ++i) {
    const pb::FieldDescriptor& field = *type.field(i);
    if (field.message_type() == nullptr) {
      columns->push_back(prefix + field.name());
    } else {
      AddColumns(*field.message_type(), prefix + field.name() + ".", columns);
    }
  }
}

/// All values that libprotobuf has in `message`, by column.
void AddValues(const pb::Message& message, const std::string& prefix, std::map<std::string, WholeFeature>* features) {
  std::vector<const pb::FieldDescriptor*> fields;
  message.GetReflection()->ListFields(message, &fields);
  for (const pb::FieldDescriptor* field : fields) {
    const pb::Reflection& in = *message.GetReflection();
    const int count = field->is_repeated() ? in.FieldSize(message, field) : 1;
    for (int i = 0; i < count; ++i) {
      if (field->message_type() != nullptr) {
        AddValues(field->is_repeated() ? in.GetRepeatedMessage(message, field, i) : in.GetMessage(message, field),
                  prefix + field->name() + ".", features);
        continue;
      }
      WholeFeature& feature = (*features)[prefix + field->name()];
      feature.name = prefix + field->name();
      feature.steps.resize(1);
      switch (field->cpp_type()) {
        case pb::FieldDescriptor::CPPTYPE_STRING: feature.steps[0].kind = FeatureKind::kBytes; break;
        case pb::FieldDescriptor::CPPTYPE_FLOAT: feature.steps[0].kind = FeatureKind::kFloat; break;
        case pb::FieldDescriptor::CPPTYPE_DOUBLE: feature.steps[0].kind = FeatureKind::kDouble; break;
        default: feature.steps[0].kind = FeatureKind::kInt64; break;
      }
      feature.steps[0].values.push_back(SpellValue(message, field, i));
    }
  }
}

/// A message for `type` in wire bytes: fields in any order, more often than they may be, packed or not.
std::string RandomMessage(const pb::Descriptor& type, int depth, Dice& dice) {
  std::string message;
  for (uint64_t n = dice.Below(7); n > 0; --n) {
    const pb::FieldDescriptor& field =
        *type.field(static_cast<int>(dice.OneIn(3) ? static_cast<uint64_t>(type.field_count()) - 1 - dice.Below(4)
                                                   : dice.Below(static_cast<uint64_t>(type.field_count()))));
    const auto number = static_cast<uint32_t>(field.number());
    if (field.message_type() != nullptr) {
      const std::string nested = depth == 0 ? "" : RandomMessage(*field.message_type(), depth - 1, dice);
      message += (field.type() == pb::FieldDescriptor::TYPE_GROUP) != dice.OneIn(30) ? Group(number, nested)
                                                                                     : Field(number, nested);
      continue;
    }
    const uint64_t bits = dice.Bits() >> dice.Below(64);
    switch (dice.Below(6)) {
      case 0: message += VarintField(number, bits); break;
      case 1: message += FixedField(number, static_cast<uint32_t>(bits)); break;
      case 2: message += FixedField(number, bits); break;
      case 3: message += Field(number, Varint(bits) + Varint(5)); break;
      case 4: message += Field(number, Fixed(dice.Bits())); break;
      default: message += Noise(dice) + VarintField(number, bits); break;
    }
  }
  return message;
}

TEST_CASE("a message of a user's own is skimmed as libprotobuf reads it, whatever its bytes") {
  const pb::LogSilencer no_text_about_utf8;
  DynamicType oracle(UserFile(), "Outer");
  const pb::Descriptor& type = *oracle.message().GetDescriptor();
  pb::FileDescriptorSet descriptors;
  *descriptors.add_file() = UserFile();
  std::vector<std::string> columns;
  AddColumns(type, "", &columns);
  std::vector<std::string> whole;  // every third
  for (size_t i = 0; i < columns.size(); i += 3) whole.push_back(columns[i]);
  const std::set<std::string> whole_set(whole.begin(), whole.end());
  const std::string descriptor_bytes = descriptors.SerializeAsString();
  const Result<FieldPlan> plan = FieldPlan::OfMessage(AsBytes(descriptor_bytes), "test.Outer", columns);
  REQUIRE(plan);

  Dice dice(14);
  Skimmer skimmer(*plan, whole);
  Skimmer paged(*plan, whole);
  Tally tally;
  std::string other;
  for (int i = 0; i < kUserMessages; ++i) {
    std::string payload = RandomMessage(type, 3, dice);
    const std::string sound = payload;
    for (uint64_t n = i % 2 == 0 ? 0 : 1 + dice.Below(2); n > 0; --n) payload = Mutated(payload, other, dice);
    const bool accepted = oracle.Parses(payload);
    (accepted ? tally.accepted : tally.refused) += 1;
    std::string expected;
    if (accepted) {
      std::map<std::string, WholeFeature> features;
      AddValues(oracle.message(), "", &features);
      std::vector<std::string> lines;
      for (const auto& [name, feature] : features) lines.push_back(SpellExpected(feature, whole_set.contains(name)));
      expected = Joined(lines);
    } else {
      expected = SpellOutcome(skimmer, skimmer.Skim(AsBytes(payload)), whole);
      if (!expected.starts_with("malformed at ")) expected = "refused";
    }
    CompareSkims(payload, expected, whole, skimmer, paged, dice, &tally);
    other = sound;
  }
  CheckTally(tally, kUserMessages);
}

}  // namespace
}  // namespace ofindex
