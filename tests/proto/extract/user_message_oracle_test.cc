#include <doctest/doctest.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/message.h>
#include <google/protobuf/stubs/logging.h>

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "proto/extract/extractor.h"
#include "proto/extract/field_plan.h"
#include "tests/proto/extract/extractor_oracle.h"
#include "tests/proto/message_bytes.h"

// Random messages of a type known only by its descriptor, with fields of every type and nested messages.

namespace ofindex {
namespace {

constexpr int kUserMessages = 40000;

using FieldProto = pb::FieldDescriptorProto;

/// Adds the fields of one test message: each scalar once singular and once repeated, packed if its number is even.
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

/// Returns test.Outer { scalars; Inner inner; repeated Inner inners; group Part; repeated group Parts }. Each of these
/// has scalars, and Inner has its own Leaf and Leaves.
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

/// Adds every column of a message of `type`, at any depth.
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

/// Adds all values that libprotobuf finds in `message`, by column.
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

/// Returns a message for `type` in wire bytes: fields in any order, repeated more often than allowed, packed or not.
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

TEST_CASE("a user-defined message is extracted as libprotobuf decodes it, whatever its bytes") {
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
  Extractor extractor(*plan, whole);
  Extractor paged(*plan, whole);
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
      expected = SpellOutcome(extractor, extractor.Extract(AsBytes(payload)), whole);
      if (!expected.starts_with("malformed at ")) expected = "refused";
    }
    CompareExtractions(payload, expected, whole, extractor, paged, dice, &tally);
    other = sound;
  }
  CheckTally(tally, kUserMessages);
}

}  // namespace
}  // namespace ofindex
