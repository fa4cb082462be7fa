#include "proto/payload_kind.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/proto/fixture_payloads.h"
#include "tests/proto/message_bytes.h"
#include "tests/support/files.h"
#include "tests/support/fixtures.h"

namespace ofindex {
namespace {

/// Returns the name of the strict kind of `payload`, or "no vote".
std::string KindName(const std::string& payload) {
  const std::optional<PayloadKind> kind = StrictPayloadKind(AsBytes(payload));
  return kind ? std::string(Name(*kind)) : "no vote";
}

/// Returns an Example with one feature.
std::string ExampleOf(std::string_view key, std::string_view feature) { return Field(1, Entry(key, feature)); }

TEST_CASE("a payload is recognised only if it strictly matches one kind") {
  struct Row {
    std::string payload;
    std::string kind;
  };
  const std::string steps = Field(1, Int64s({1})) + Field(1, "");
  const std::vector<Row> rows = {
      {"", "no vote"},                                                         // a message of every kind
      {ExampleOf("a", Int64s({1})), "example"},                                // the plain case
      {ExampleOf("a", ""), "example"},                                         // no kind, which is frequent
      {ExampleOf("a", Field(3, "")), "example"},                               // an empty list
      {ExampleOf("a", Field(3, VarintField(1, 1))), "example"},                // an unpacked number
      {ExampleOf("\xc3\xa9t\xc3\xa9/1 \"x\"", Int64s({1})), "example"},        // any text is a name
      {ExampleOf("a", "") + ExampleOf("b", ""), "example"},                    // two messages joined
      {Field(1, ""), "example"},                                               // features, but empty
      {ExampleOf("a", "") + Field(2, Entry("s", steps)), "sequence_example"},  // field 2 decides
      {Field(2, Entry("s", steps)), "sequence_example"},                       // without a context
      {Entry("a", Int64s({1})), "opaque"},                           // OFRecord's kind 3 is double: 1 byte is too short
      {Entry("a", Field(3, PackedFixed({1.0}))), "ofrecord"},        // 8 bytes are a double
      {Entry("a", Field(5, PackedVarints({1}))), "ofrecord"},        // number 5
      {Entry("a", ""), "ofrecord"},                                  // no kind
      {Entry("image_raw", Field(1, BytesList({"x"}))), "ofrecord"},  // parses as an Example, but is not one
      {ExampleOf("a", Field(4, PackedVarints({1}))), "opaque"},      // number 4 in an Example
      {Entry("a", Field(6, PackedVarints({1}))), "opaque"},          // number 6 anywhere
      {ExampleOf("", Int64s({1})), "opaque"},                        // an empty key
      {ExampleOf("a\n", Int64s({1})), "opaque"},                     // a control character
      {ExampleOf("a\x7f", Int64s({1})), "opaque"},                   // DEL
      {ExampleOf("\xc2\x85", Int64s({1})), "opaque"},                // a control character beyond ASCII
      {ExampleOf("\xff", Int64s({1})), "opaque"},                    // not UTF-8
      {ExampleOf("\xc0\xaf", Int64s({1})), "opaque"},                // overlong
      {ExampleOf("\xed\xa0\x80", Int64s({1})), "opaque"},            // a surrogate
      {ExampleOf("\xf4\x90\x80\x80", Int64s({1})), "opaque"},        // beyond U+10FFFF
      {ExampleOf("a\xe2\x82", Int64s({1})), "opaque"},               // truncated inside a character
      {Field(1, Field(1, Field(1, "a"))), "opaque"},                 // no value
      {Field(1, Field(1, Field(2, Int64s({1})))), "opaque"},         // no key
      {Field(1, Field(1, Field(1, "a") + Field(1, "b") + Field(2, ""))), "opaque"},  // two keys
      {Field(1, Field(1, Field(1, "a") + Field(2, "") + Field(2, ""))), "opaque"},   // two values
      {Field(1, Field(1, Field(1, "a") + Field(2, "") + Field(3, ""))), "opaque"},   // something else in an entry
      {ExampleOf("a", Int64s({1}) + Field(1, "")), "opaque"},                        // two kinds
      {ExampleOf("a", Int64s({1}) + VarintField(9, 1)), "opaque"},                   // an unknown field in a Feature
      {ExampleOf("a", Field(3, PackedVarints({1}) + Field(2, ""))), "opaque"},       // as above, in a list
      {ExampleOf("a", Field(2, Field(1, "12345"))), "opaque"},                       // 5 bytes of floats
      {ExampleOf("a", Field(3, Field(1, "\x80"))), "opaque"},                        // a torn varint in a list
      {ExampleOf("a", Int64s({1})) + VarintField(3, 1), "opaque"},                   // an unknown field at the top
      {ExampleOf("a", Int64s({1})) + "\x0a\x05", "opaque"},                          // a truncated tail
      {ExampleOf("a", Int64s({1})) + Group(1, ""), "opaque"},                        // a group
      {Field(1, ExampleOf("a", "")) + Field(2, ExampleOf("b", "")), "opaque"},       // ExampleListWithContext
      {"hello world", "opaque"},                                                     // text
      {std::string(64, '\0'), "opaque"},                                             // zeros
  };
  for (const Row& row : rows) {
    CAPTURE(row.payload);
    CHECK(KindName(row.payload) == row.kind);
  }
}

TEST_CASE("the content of a bytes value is skipped") {
  // The value claims 1 GiB of bytes that do not exist, so reading them would crash.
  const uint32_t size = 1u << 30;
  const std::string list = Tag(1, WireType::kBytes) + Varint(size);
  const std::string feature = Tag(1, WireType::kBytes) + Varint(list.size() + size);
  const std::string entry = Field(1, "a") + Tag(2, WireType::kBytes) + Varint(feature.size() + list.size() + size);
  const uint64_t entry_size = entry.size() + feature.size() + list.size() + size;
  const std::string head = Tag(1, WireType::kBytes) + Varint(entry_size) + entry + feature + list;
  CHECK(StrictPayloadKind(ByteView(AsBytes(head).data(), head.size() + size)) == PayloadKind::kOfRecord);
}

TEST_CASE("a payload of 2 GiB is not a message") {
  const std::string payload = Field(1, "");
  CHECK(StrictPayloadKind(ByteView(AsBytes(payload).data(), uint64_t{1} << 31)) == PayloadKind::kOpaque);
}

TEST_CASE("the votes of a sample decide the kind of a shard") {
  constexpr std::nullopt_t kNoVote = std::nullopt;
  constexpr PayloadKind kOpaque = PayloadKind::kOpaque;
  constexpr PayloadKind kExample = PayloadKind::kExample;
  constexpr PayloadKind kSequence = PayloadKind::kSequenceExample;
  constexpr PayloadKind kOf = PayloadKind::kOfRecord;
  struct Row {
    std::vector<std::optional<PayloadKind>> votes;
    PayloadKind winner;
  };
  const std::vector<Row> rows = {
      {{}, kOpaque},                                // no record
      {{kNoVote, kNoVote}, kOpaque},                // only empty records
      {{kNoVote, kExample}, kExample},              // an empty record does not vote
      {{kExample, kExample, kOf}, kExample},        // the majority
      {{kOf, kOf, kExample}, kOf},                  // in either order
      {{kExample, kSequence}, kSequence},           // a SequenceExample may look like an Example, not the reverse
      {{kOf, kOf, kOf, kExample, kSequence}, kOf},  // but both together must outnumber the rest
      {{kExample, kExample, kOpaque}, kExample},    // more votes for some kind than for opaque
      {{kExample, kOpaque}, kOpaque},               // a tie with opaque
      {{kExample, kOf}, kOpaque},                   // a tie
      {{kOpaque, kOpaque}, kOpaque},                // nothing known
  };
  for (const Row& row : rows) {
    PayloadVote vote;
    for (const std::optional<PayloadKind>& kind : row.votes) vote.Add(kind);
    CHECK(Name(vote.Winner()) == Name(row.winner));
  }
}

TEST_CASE("real payloads of the fixtures are recognised") {
  const std::optional<std::string> folder = FixturesOrMessage();
  if (!folder) return;
  struct Row {
    std::string shard;
    Framing framing;
    PayloadKind kind;
  };
  const std::vector<Row> rows = {
      {"real/mnist.tfrecord", Framing::kTfRecord, PayloadKind::kExample},
      {"real/tf_detection_train.tfrecord", Framing::kTfRecord, PayloadKind::kExample},
      {"real/hadoop/part-m-00000", Framing::kTfRecord, PayloadKind::kExample},
      {"real/ssd-dummy/dummy.tfrecord", Framing::kTfRecord, PayloadKind::kExample},
      {"real/toy/toy.nocompress-tfe-tfrecord-00000-of-00002", Framing::kTfRecord, PayloadKind::kExample},
      {"real/toy/toy.nocompress-tfe-tfrecord-00001-of-00002", Framing::kTfRecord, PayloadKind::kExample},
      {"real/sequence_example.tfrecord", Framing::kTfRecord, PayloadKind::kSequenceExample},
      {"derived/ofrecord-penguin/part-0", Framing::kOfRecord, PayloadKind::kOfRecord},
      {"derived/ofrecord-penguin/part-11", Framing::kOfRecord, PayloadKind::kOfRecord},
      {"derived/ofrecord-nextpage/part-00000", Framing::kOfRecord, PayloadKind::kOfRecord},
      {"real/en_fr.tfrecord", Framing::kTfRecord, PayloadKind::kOpaque},
      {"real/eval_elwc.tfrecord", Framing::kTfRecord, PayloadKind::kOpaque},
      {"real/test_features.gff.tfrecord", Framing::kTfRecord, PayloadKind::kOpaque},
      {"real/test_sites.vcf.golden.tfrecord", Framing::kTfRecord, PayloadKind::kOpaque},
      {"real/events.out.tfevents.test", Framing::kTfRecord, PayloadKind::kOpaque},
      {"real/tfrecord_iterator_test.tfrecord", Framing::kTfRecord, PayloadKind::kOpaque},
  };
  for (const Row& row : rows) {
    CAPTURE(row.shard);
    const std::vector<std::string> payloads = PayloadsOf(*folder + "/" + row.shard, row.framing);
    REQUIRE_FALSE(payloads.empty());
    PayloadVote vote;
    for (const std::string& payload : payloads) {
      const std::optional<PayloadKind> kind = StrictPayloadKind(AsBytes(payload));
      CHECK(kind == row.kind);
      vote.Add(kind);
    }
    CHECK(Name(vote.Winner()) == Name(row.kind));
  }
  CHECK(KindName(ReadFile(*folder + "/mnist_example.pb")) == "example");
}

}  // namespace
}  // namespace ofindex
