#pragma once

#include <doctest/doctest.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/dynamic_message.h>
#include <google/protobuf/message.h>

#include <bit>
#include <memory>
#include <string>
#include <vector>

#include "base/text.h"
#include "proto/extract/extractor.h"
#include "tests/proto/extracting.h"
#include "tests/proto/random_bytes.h"

namespace ofindex {

// Gives payloads, sound and broken, to libprotobuf and to the extractor, in memory and in small pieces: all must refuse
// them, or agree on every feature, count and value.

namespace pb = google::protobuf;

/// A message type that exists only as a descriptor, under proto2, which does not refuse names that are not UTF-8.
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

/// Returns value `i` of `field`, spelled as an extractor's result.
inline std::string SpellValue(const pb::Message& message, const pb::FieldDescriptor* field, int i) {
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

/// Counts of how the extractor and its oracle agreed. Only the first difference is kept, so that a fault
/// does not print thousands of lines.
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

/// Extracts from `payload` in memory and in pieces, and compares both with `expected`.
inline void CompareExtractions(const std::string& payload, const std::string& expected,
                               const std::vector<std::string>& whole, Extractor& extractor, Extractor& paged,
                               Dice& dice, Tally* tally) {
  // On the heap, at its exact size, so that AddressSanitizer catches reads beyond it.
  const std::vector<uint8_t> exact(payload.begin(), payload.end());
  tally->Compare(expected, SpellOutcome(extractor, extractor.Extract(exact), whole), payload);
  SmallPages pages(payload, dice.Below(40));
  tally->Compare(expected, SpellOutcome(paged, paged.Extract(pages, payload.size()), whole), payload);
  if (dice.OneIn(1000)) {
    extractor.Forget();
    paged.Forget();
  }
}

inline void CheckTally(const Tally& tally, int messages) {
  CAPTURE(tally.first_difference);
  CHECK(tally.different == 0);
  // Checks that the sample is meaningful: it has plenty of accepted and of refused messages.
  CHECK(tally.accepted > messages / 4);
  CHECK(tally.refused > messages / 8);
}

}  // namespace ofindex
