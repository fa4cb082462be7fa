#include <doctest/doctest.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/stubs/logging.h>

#include <string>
#include <vector>

#include "proto/encode/payload_builder.h"
#include "proto/encode/transcoder.h"
#include "proto/example.pb.h"
#include "proto/ofrecord.pb.h"
#include "tests/proto/message_maker.h"
#include "tests/proto/message_text.h"

// Rebuilds random messages from their values: the bytes must be those that libprotobuf's deterministic serializer
// writes for the same message.

namespace ofindex {
namespace {

constexpr int kBuiltMessages = 20000;  // per message type

// Empty parts carry no information. PayloadBuilder always writes the features of an Example; of a SequenceExample it
// writes the parts that are not empty, or the context if both are empty.
void Settle(tensorflow::Example& message) { message.mutable_features(); }
void Settle(tensorflow::SequenceExample& message) {
  if (message.feature_lists().feature_list().empty()) message.clear_feature_lists();
  if (!message.context().feature().empty()) return;
  message.clear_context();
  if (!message.has_feature_lists()) message.mutable_context();
}
void Settle(oneflow::OFRecord&) {}

// Returns the bytes that libprotobuf writes for `message`.
std::string Serialized(const pb::Message& message) {
  std::string bytes;
  pb::io::StringOutputStream stream(&bytes);
  pb::io::CodedOutputStream coded(&stream);
  coded.SetSerializationDeterministic(true);
  message.SerializeToCodedStream(&coded);
  coded.Trim();
  return bytes;
}

Result<ByteView> Build(const DecodedRecord& record, PayloadBuilder& builder) {
  builder.Clear();
  for (const Feature& feature : record.features()) {
    OFINDEX_TRY(builder.Add(feature.name, FeatureData::Of(record, feature.value)));
  }
  std::vector<FeatureData> steps;
  for (const FeatureList& list : record.feature_lists()) {
    steps.clear();
    for (const FeatureValue& step : record.steps(list)) steps.push_back(FeatureData::Of(record, step));
    OFINDEX_TRY(builder.AddList(list.name, steps));
  }
  return builder.Finish();
}

template <typename Generated>
void BuildMany(PayloadKind kind, uint64_t seed) {
  const pb::LogSilencer no_text_about_utf8;
  MessageMaker maker(kind, seed);
  PayloadBuilder builder(kind);
  DecodedRecord record;
  Generated oracle;
  int compared = 0;
  int different = 0;
  for (int i = 0; i < kBuiltMessages; ++i) {
    const std::string payload = maker.Make();
    if (!oracle.ParseFromString(payload)) continue;
    oracle.DiscardUnknownFields();
    Settle(oracle);
    REQUIRE(record.Decode(AsBytes(payload), kind).has_value());
    const Result<ByteView> built = Build(record, builder);
    REQUIRE_MESSAGE(built.has_value(), built.error().message);
    ++compared;
    different += AsText(*built) != Serialized(oracle);
  }
  CHECK(compared > kBuiltMessages / 2);
  CHECK(different == 0);
}

TEST_CASE("an Example built from values equals libprotobuf's") {
  BuildMany<tensorflow::Example>(PayloadKind::kExample, 11);
}

TEST_CASE("a SequenceExample built from values equals libprotobuf's") {
  BuildMany<tensorflow::SequenceExample>(PayloadKind::kSequenceExample, 12);
}

TEST_CASE("an OFRecord built from values equals libprotobuf's") {
  BuildMany<oneflow::OFRecord>(PayloadKind::kOfRecord, 13);
}

TEST_CASE("Examples converted to OFRecords and back are the same messages") {
  const pb::LogSilencer no_text_about_utf8;
  MessageMaker maker(PayloadKind::kExample, 14);
  auto there = Transcoder::Create(PayloadKind::kExample, PayloadKind::kOfRecord, Lossy::kRefuse);
  auto back = Transcoder::Create(PayloadKind::kOfRecord, PayloadKind::kExample, Lossy::kRefuse);
  REQUIRE(there.has_value());
  REQUIRE(back.has_value());
  tensorflow::Example before, after;
  int compared = 0;
  for (int i = 0; i < kBuiltMessages; ++i) {
    const std::string payload = maker.Make();
    if (!before.ParseFromString(payload)) continue;
    const Result<ByteView> record = there->Convert(AsBytes(payload));
    REQUIRE(record.has_value());
    const std::string kept(AsText(*record));
    const Result<ByteView> example = back->Convert(AsBytes(kept));
    REQUIRE(example.has_value());
    REQUIRE(after.ParseFromString(std::string(AsText(*example))));
    ++compared;
    CHECK(SpellOracle(after) == SpellOracle(before));
  }
  CHECK(compared > kBuiltMessages / 2);
}

}  // namespace
}  // namespace ofindex
