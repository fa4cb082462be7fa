#include <doctest/doctest.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/dynamic_message.h>
#include <google/protobuf/message.h>
#include <google/protobuf/stubs/logging.h>

#include <memory>
#include <string>
#include <vector>

#include "proto/example.pb.h"
#include "proto/features.h"
#include "proto/ofrecord.pb.h"
#include "tests/proto/message_maker.h"
#include "tests/proto/message_text.h"

// Gives random messages, sound and broken, to libprotobuf and to DecodedRecord: both must refuse them, or both must
// read the same content, bit by bit. Content is compared as text that spells out the bits of every value.

namespace ofindex {
namespace {

constexpr int kDecodedMessages = 30000;  // per message type

/// A message type with the same wire format as `original`, under proto2, which refuses only malformed messages. A
/// proto3 type also refuses keys that are not UTF-8.
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

/// Counts of how the decoder and its oracle agreed. Differences are counted, and only the first is kept, so that a
/// fault does not print thousands of lines.
struct DecodingTally {
  int accepted = 0;
  int rejected = 0;
  int not_utf8 = 0;  ///< refused by the generated proto3 class only because of a key
  int different = 0;
  std::string first_difference = {};
};

void Compare(const std::string& payload, PayloadKind kind, pb::Message* oracle, Proto2Twin* twin, DecodedRecord* record,
             DecodingTally* tally) {
  const Result<void> outlined = record->DecodeOutline(AsBytes(payload), kind);
  const std::string outline = outlined ? SpellOurs(*record) : outlined.error().message;
  const Result<void> ours = record->Decode(AsBytes(payload), kind);
  const bool generated = Parses(oracle, payload);
  const bool accepted = generated || Parses(&twin->message(), payload);
  tally->accepted += accepted;
  tally->rejected += !accepted;
  tally->not_utf8 += accepted && !generated;

  std::string expected = "refused";
  if (accepted) expected = SpellOracle(generated ? *oracle : twin->message());
  const std::string got = ours ? SpellOurs(*record) : "refused";
  if (got == expected && outline == (ours ? got : ours.error().message)) return;
  ++tally->different;
  if (tally->first_difference.empty()) {
    const std::string why = ours ? "" : ours.error().message;
    tally->first_difference =
        "expected\n" + expected + "\ngot " + why + "\n" + got + "\nand, of an outline,\n" + outline;
  }
}

template <typename Generated>
void CompareManyDecodings(PayloadKind kind, uint64_t seed) {
  const pb::LogSilencer no_text_about_utf8;
  Generated oracle;
  Proto2Twin twin(*Generated::descriptor());
  MessageMaker maker(kind, seed);
  DecodedRecord record;
  DecodingTally tally;
  std::string other = maker.Make();
  for (int i = 0; i < kDecodedMessages; ++i) {
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
  // Checks that the sample is meaningful: it has plenty of accepted and of rejected messages, and, except for
  // OFRecords, messages that are refused only because a key is not UTF-8.
  CHECK(tally.accepted > kDecodedMessages / 4);
  CHECK(tally.rejected > kDecodedMessages / 8);
  CHECK((tally.not_utf8 > 0) == (kind != PayloadKind::kOfRecord));
}

TEST_CASE("an Example is decoded as libprotobuf does, whatever its bytes") {
  CompareManyDecodings<tensorflow::Example>(PayloadKind::kExample, 1);
}

TEST_CASE("a SequenceExample is decoded as libprotobuf does, whatever its bytes") {
  CompareManyDecodings<tensorflow::SequenceExample>(PayloadKind::kSequenceExample, 2);
}

TEST_CASE("an OFRecord is decoded as libprotobuf does, whatever its bytes") {
  CompareManyDecodings<oneflow::OFRecord>(PayloadKind::kOfRecord, 3);
}

}  // namespace
}  // namespace ofindex
