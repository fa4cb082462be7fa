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
#include <string>
#include <type_traits>
#include <vector>

#include "proto/example.pb.h"
#include "proto/features.h"
#include "proto/ofrecord.pb.h"
#include "tests/proto/message_bytes.h"

// Random messages, sound and broken, are given to libprotobuf and to DecodedRecord: both have to refuse them, or both
// to read the same content, bit by bit. Content is compared as text that spells every value by its bits.

namespace ofindex {
namespace {

namespace pb = google::protobuf;

constexpr int kMessages = 30000;  // per message type

// ---------------------------------------------------------------- content as text

template <typename T>
void SpellValue(const T& value, std::string* out) {
  if constexpr (std::is_same_v<T, float>) {
    *out += std::to_string(std::bit_cast<uint32_t>(value)) + ",";
  } else if constexpr (std::is_same_v<T, double>) {
    *out += std::to_string(std::bit_cast<uint64_t>(value)) + ",";
  } else if constexpr (std::is_same_v<T, std::string_view>) {
    *out += std::to_string(value.size()) + ":" + std::string(value) + ",";
  } else {
    *out += std::to_string(value) + ",";
  }
}

/// One Feature, by the name of the field that is set in its oneof.
std::string SpellFeature(const pb::Message& feature) {
  const pb::OneofDescriptor* kinds = feature.GetDescriptor()->oneof_decl(0);
  const pb::FieldDescriptor* kind = feature.GetReflection()->GetOneofFieldDescriptor(feature, kinds);
  if (kind == nullptr) return "none();";
  const pb::Message& list = feature.GetReflection()->GetMessage(feature, kind);
  const pb::Reflection& in = *list.GetReflection();
  const pb::FieldDescriptor* value = list.GetDescriptor()->field(0);
  std::string out = kind->name().substr(0, kind->name().find('_')) + "(";
  for (int i = 0; i < in.FieldSize(list, value); ++i) {
    switch (value->type()) {
      case pb::FieldDescriptor::TYPE_BYTES: {
        std::string scratch;
        SpellValue(std::string_view(in.GetRepeatedStringReference(list, value, i, &scratch)), &out);
        break;
      }
      case pb::FieldDescriptor::TYPE_FLOAT: SpellValue(in.GetRepeatedFloat(list, value, i), &out); break;
      case pb::FieldDescriptor::TYPE_DOUBLE: SpellValue(in.GetRepeatedDouble(list, value, i), &out); break;
      case pb::FieldDescriptor::TYPE_INT32: SpellValue(in.GetRepeatedInt32(list, value, i), &out); break;
      default: SpellValue(in.GetRepeatedInt64(list, value, i), &out); break;
    }
  }
  return out + ");";
}

std::string SpellFeatureList(const pb::Message& list) {
  const pb::FieldDescriptor* step = list.GetDescriptor()->field(0);
  std::string out = "[";
  for (int i = 0; i < list.GetReflection()->FieldSize(list, step); ++i) {
    out += SpellFeature(list.GetReflection()->GetRepeatedMessage(list, step, i));
  }
  return out + "]";
}

/// The map that is field 1 of `message`. A message without generated code may list a key twice: the last one counts.
template <typename Spell>
std::string SpellMap(const pb::Message& message, Spell spell) {
  const pb::FieldDescriptor* map = message.GetDescriptor()->field(0);
  std::map<std::string, std::string> entries;
  for (int i = 0; i < message.GetReflection()->FieldSize(message, map); ++i) {
    const pb::Message& entry = message.GetReflection()->GetRepeatedMessage(message, map, i);
    const std::string key = entry.GetReflection()->GetString(entry, entry.GetDescriptor()->FindFieldByNumber(1));
    entries[key] = spell(entry.GetReflection()->GetMessage(entry, entry.GetDescriptor()->FindFieldByNumber(2)));
  }
  std::string out;
  for (const auto& [key, value] : entries) {
    SpellValue(std::string_view(key), &out);
    out += value + "\n";
  }
  return out;
}

/// The content of an Example, SequenceExample or OFRecord, generated or not.
std::string SpellOracle(const pb::Message& message) {
  if (message.GetDescriptor()->name() == "OFRecord") return SpellMap(message, SpellFeature) + "--\n";
  const auto part = [&message](int field) -> const pb::Message& {
    return message.GetReflection()->GetMessage(message, message.GetDescriptor()->field(field));
  };
  std::string out = SpellMap(part(0), SpellFeature) + "--\n";
  if (message.GetDescriptor()->field_count() == 2) out += SpellMap(part(1), SpellFeatureList);
  return out;
}

std::string SpellValues(const DecodedRecord& record, FeatureValue value) {
  std::string out = std::string(Name(value.kind)) + "(";
  switch (value.kind) {
    case FeatureKind::kNone: break;
    case FeatureKind::kBytes:
      for (ByteView bytes : record.bytes(value)) SpellValue(AsText(bytes), &out);
      break;
    case FeatureKind::kFloat:
      for (float number : record.floats(value)) SpellValue(number, &out);
      break;
    case FeatureKind::kDouble:
      for (double number : record.doubles(value)) SpellValue(number, &out);
      break;
    case FeatureKind::kInt32:
    case FeatureKind::kInt64:
      for (int64_t number : record.integers(value)) SpellValue(number, &out);
      break;
  }
  return out + ");";
}

/// In the order in which `record` gives its features: so it has to be the order of std::map.
std::string SpellOurs(const DecodedRecord& record) {
  std::string out;
  for (const Feature& feature : record.features()) {
    SpellValue(AsText(feature.name), &out);
    out += SpellValues(record, feature.value) + "\n";
  }
  out += "--\n";
  for (const FeatureList& list : record.feature_lists()) {
    SpellValue(AsText(list.name), &out);
    out += "[";
    for (const FeatureValue& step : record.steps(list)) out += SpellValues(record, step);
    out += "]\n";
  }
  return out;
}

// ---------------------------------------------------------------- random messages

/// Makes messages of one kind, the same ones in every run.
class MessageMaker {
 public:
  MessageMaker(PayloadKind kind, uint64_t seed) : kind_(kind), random_(seed) {}

  /// A message that is sound, as long as its odd parts happen to be.
  std::string Make() {
    std::string message;
    for (uint64_t parts = 1 + Below(5) / 4; parts > 0; --parts) message += MakePart();
    return message;
  }

  /// `message` with one thing done to it: a byte changed or lost, a cut, a stretch doubled, a piece of `other` put in.
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

  /// A number in [0, n).
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

  /// Bits of every sort: small numbers, any bits, NaNs with payloads, varints that are longer than they have to be.
  std::string MakeNumber(FeatureKind kind) {
    const uint64_t bits = random_();
    if (kind == FeatureKind::kFloat) return Fixed(static_cast<uint32_t>(OneIn(4) ? bits | 0x7f800000 : bits));
    if (kind == FeatureKind::kDouble) return Fixed(OneIn(4) ? bits | 0x7ff0000000000000 : bits);
    return MakeVarint(bits >> Below(64));
  }

  /// `value` in its shortest form, or stretched to 10 bytes at most, or to 11, or with bits above the 64th.
  std::string MakeVarint(uint64_t value) {
    if (!OneIn(10)) return Varint(value);
    std::string varint = Varint(value, OneIn(10) ? 11 : 1 + Below(10));
    if (varint.size() == 10) varint.back() = static_cast<char>(Below(128));
    return varint;
  }

  /// Mostly nothing; else something that no schema knows, or that it knows in another wire type.
  std::string Noise() {
    if (!OneIn(12)) return "";
    const auto number = static_cast<uint32_t>(OneIn(2) ? 1 + Below(6) : 1 + Below(1u << 29) / (1 + Below(1u << 20)));
    switch (Below(9)) {
      case 0: return VarintField(number, random_());
      case 1: return FixedField(number, uint32_t{7});
      case 2: return FixedField(number, uint64_t{7});
      case 3: return Field(7, "xyz");
      case 4: return Group(number, VarintField(1, 1) + Group(2, Noise()) + Field(3, "z"));
      case 5: return Varint(uint64_t{number} << 3, 1 + Below(6)) + MakeVarint(5);              // a stretched tag
      case 6: return Tag(8, WireType::kBytes) + Varint(2, 1 + Below(6)) + "ab";                // a stretched length
      case 7: return OneIn(8) ? NestedGroups(static_cast<int>(94 + Below(8))) : Group(9, "");  // about the depth limit
      default: return OneIn(4) ? Varint((8 | random_() << 32) & 0x7ffffffff, 5) + "\1" : "";   // a tag of over 32 bits
    }
  }

  PayloadKind kind_;
  std::mt19937_64 random_;
};

// ---------------------------------------------------------------- the comparison

/// A message type of the same wire format as `original`, under proto2: what it refuses is malformed, while a proto3
/// type also refuses keys that are not UTF-8.
class Proto2Twin {
 public:
  explicit Proto2Twin(const pb::Descriptor& original) {
    pb::FileDescriptorProto file;
    original.file()->CopyTo(&file);
    file.set_syntax("proto2");
    const pb::Descriptor* type = pool_.BuildFile(file)->FindMessageTypeByName(original.name());
    message_.reset(factory_.GetPrototype(type)->New());
  }

  pb::Message& message() { return *message_; }

 private:
  pb::DescriptorPool pool_;
  pb::DynamicMessageFactory factory_;
  std::unique_ptr<pb::Message> message_;
};

bool Parses(pb::Message* message, const std::string& payload) {
  return message->ParseFromArray(payload.data(), static_cast<int>(payload.size()));
}

/// How often the decoder and its oracle met. Differences are counted, and the first one is kept, so that a fault does
/// not print thousands of lines.
struct Tally {
  int accepted = 0;
  int rejected = 0;
  int not_utf8 = 0;  ///< refused by the generated proto3 class for a key alone
  int different = 0;
  std::string first_difference = {};
};

void Compare(const std::string& payload, PayloadKind kind, pb::Message* oracle, Proto2Twin* twin, DecodedRecord* record,
             Tally* tally) {
  const Result<void> ours = record->Decode(AsBytes(payload), kind);
  const bool generated = Parses(oracle, payload);
  const bool accepted = generated || Parses(&twin->message(), payload);
  tally->accepted += accepted;
  tally->rejected += !accepted;
  tally->not_utf8 += accepted && !generated;

  std::string expected = "refused";
  if (accepted) expected = SpellOracle(generated ? *oracle : twin->message());
  const std::string got = ours ? SpellOurs(*record) : "refused";
  if (got == expected) return;
  ++tally->different;
  if (tally->first_difference.empty()) {
    const std::string why = ours ? "" : ours.error().message;
    tally->first_difference = "expected\n" + expected + "\ngot " + why + "\n" + got;
  }
}

template <typename Generated>
void CompareMany(PayloadKind kind, uint64_t seed) {
  const pb::LogSilencer no_text_about_utf8;
  Generated oracle;
  Proto2Twin twin(*Generated::descriptor());
  MessageMaker maker(kind, seed);
  DecodedRecord record;
  Tally tally;
  std::string other = maker.Make();
  for (int i = 0; i < kMessages; ++i) {
    std::string payload = maker.Make();
    const std::string sound = payload;
    for (uint64_t mutations = i % 2 == 0 ? 0 : 1 + maker.Below(3); mutations > 0; --mutations) {
      payload = maker.Mutate(payload, other);
    }
    Compare(payload, kind, &oracle, &twin, &record, &tally);
    other = sound;
  }
  CAPTURE(tally.first_difference);
  CHECK(tally.different == 0);
  // The sample is worth something: it has plenty of both, and keys that are not UTF-8 where they make a difference.
  CHECK(tally.accepted > kMessages / 4);
  CHECK(tally.rejected > kMessages / 8);
  CHECK((tally.not_utf8 > 0) == (kind != PayloadKind::kOfRecord));
}

TEST_CASE("an Example is read as libprotobuf reads it, whatever its bytes") {
  CompareMany<tensorflow::Example>(PayloadKind::kExample, 1);
}

TEST_CASE("a SequenceExample is read as libprotobuf reads it, whatever its bytes") {
  CompareMany<tensorflow::SequenceExample>(PayloadKind::kSequenceExample, 2);
}

TEST_CASE("an OFRecord is read as libprotobuf reads it, whatever its bytes") {
  CompareMany<oneflow::OFRecord>(PayloadKind::kOfRecord, 3);
}

}  // namespace
}  // namespace ofindex
