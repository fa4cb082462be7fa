#include "query/decoding/payload_source.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/query/decoding/reading_datasets.h"

namespace ofindex {
namespace {

std::string Numbers(const PayloadSource& source, const std::vector<uint64_t>& ordinals) {
  return Spell(DecoderOf({{.name = "x"}}).Decode(source, ordinals));
}

TEST_CASE("records of a dataset are decoded in the requested order") {
  BuiltSet set;
  set.Put("part-0", ShardBytes(Framing::kTfRecord, NumberedExamples(100, 40)));
  set.Put("part-1", ShardBytes(Framing::kTfRecord, NumberedExamples(200, 40)));
  set.Build(set.Options());
  const auto source = ReaderSource::Of(ReaderOf(set));
  REQUIRE(source);
  CHECK(Numbers(**source, {79, 0, 41, 0}) == "[239][100][201][100]");
  const auto missing = DecoderOf({}).Decode(**source, std::vector<uint64_t>{80});
  CHECK(missing.error().code == ErrorCode::kOutOfRange);
}

TEST_CASE("each record is decoded by the payload kind of its shard") {
  BuiltSet set;
  const std::string ofrecord = Entry("x", Field(5, PackedVarints({7})));
  const std::string sequence = Field(1, Ints("x", {8})) + Field(2, Field(1, Field(1, "l") + Field(2, "")));
  set.Put("a", ShardBytes(Framing::kTfRecord, NumberedExamples(1, 30)));
  set.Put("b", ShardBytes(Framing::kTfRecord, std::vector<std::string>(30, ofrecord)));
  set.Put("c", "");
  set.Put("d", ShardBytes(Framing::kTfRecord, std::vector<std::string>(30, sequence)));
  set.Put("e", ShardBytes(Framing::kTfRecord, std::vector<std::string>(30, "plain text")));
  set.Build(set.Options());
  const auto reader = ReaderOf(set);
  REQUIRE(reader->map().Shard(1)->payload == PayloadKind::kOfRecord);
  REQUIRE(reader->map().Shard(3)->payload == PayloadKind::kSequenceExample);
  const auto source = ReaderSource::Of(reader);
  REQUIRE(source);
  CHECK(Numbers(**source, {89, 30, 29, 60, 59, 0}) == "[8][7][30][8][7][1]");
  const auto opaque = DecoderOf({}).Decode(**source, std::vector<uint64_t>{0, 90});
  CHECK(opaque.error().code == ErrorCode::kFeature);
}

TEST_CASE("an error gives the shard, the byte and the record") {
  for (const Framing framing : {Framing::kTfRecord, Framing::kOfRecord}) {
    BuiltSet set(framing);
    std::vector<std::string> payloads = NumberedExamples(1, 30);
    payloads[20] = Example(Ints("y", {1}));
    set.Put("part-0", ShardBytes(framing, NumberedExamples(1, 30)));
    set.Put("part-1", ShardBytes(framing, payloads));
    set.Build(set.Options());
    const auto source = ReaderSource::Of(ReaderOf(set));
    REQUIRE(source);
    const uint64_t byte = RecordBoundaries(framing, payloads)[20] + (framing == Framing::kTfRecord ? 12 : 8);
    CHECK(Numbers(**source, {0, 50}) == "error " + set.Shard("part-1") + "@" + std::to_string(byte) +
                                            ": record 50: feature 'x': is not in the record, and has no default");
  }
}

TEST_CASE("a malformed record is damage, and so is one marked bad") {
  BuiltSet set;
  std::vector<std::string> payloads = NumberedExamples(1, 30);
  payloads[20] = "\xff\xff";
  set.Put("part-0", ShardBytes(Framing::kTfRecord, payloads));
  set.Build(set.Options());
  const auto marked = ReaderSource::Of(ReaderOf(set));
  REQUIRE(marked);
  const auto refused = DecoderOf({{.name = "x"}}).Decode(**marked, std::vector<uint64_t>{19, 20});
  CHECK(refused.error().code == ErrorCode::kDamage);
  CHECK(refused.error().message.find("record 20 is marked bad: malformed") != std::string::npos);
  const auto allowed = ReaderSource::Of(ReaderOf(set, {.allow_bad = true}));
  REQUIRE(allowed);
  const auto damaged = DecoderOf({{.name = "x"}}).Decode(**allowed, std::vector<uint64_t>{19, 20});
  CHECK(damaged.error().code == ErrorCode::kDamage);
  CHECK(damaged.error().message.find(": record 20: payload@0: malformed message: torn varint") != std::string::npos);
  CHECK(damaged.error().hint.text() == "`ofindex get --raw INDEX 20` writes the bytes as they are");
}

TEST_CASE("the records of several datasets are numbered consecutively, one dataset after the other") {
  std::vector<BuiltSet> sets(3);
  for (size_t i = 0; i < sets.size(); ++i) {
    const auto first = static_cast<int64_t>(100 * i);
    sets[i].Put("part-0", ShardBytes(Framing::kTfRecord, NumberedExamples(first, 20 + i)));
    sets[i].Build(sets[i].Options());
  }
  std::vector<std::shared_ptr<const RecordReader>> readers;
  for (const BuiltSet& set : sets) readers.push_back(ReaderOf(set));
  const auto source = JoinedSource::Of(readers);
  REQUIRE(source);
  CHECK(Numbers(**source, {62, 0, 41, 20, 19, 0}) == "[221][0][200][100][19][0]");
  CHECK(Numbers(**source, {5}) == "[5]");
  CHECK(Numbers(**source, {}) == "");
  const auto missing = DecoderOf({}).Decode(**source, std::vector<uint64_t>{63});
  CHECK(missing.error().code == ErrorCode::kOutOfRange);
  const auto error = DecoderOf({{.name = "y"}}).Decode(**source, std::vector<uint64_t>{45});
  CHECK(error.error().message.starts_with(sets[2].Shard("part-0") + "@"));
  CHECK(error.error().message.find(": record 4: feature 'y'") != std::string::npos);
}

TEST_CASE("payloads in memory can be decoded too") {
  const Payloads records(PayloadKind::kExample, NumberedExamples(5, 3));
  CHECK(Numbers(records.source(), {2, 0}) == "[7][5]");
  CHECK(Numbers(records.source(), {3}) == "error record 3 is not in the dataset; expected less than 3");
}

}  // namespace
}  // namespace ofindex
