#include <doctest/doctest.h>

#include <string>
#include <thread>
#include <vector>

#include "query/decoding/batch_decoder.h"
#include "tests/query/decoding/decoding.h"
#include "tests/query/decoding/random_records.h"

namespace ofindex {
namespace {

std::vector<FeatureSpec> AllForms() {
  return {{.name = "x", .type = DataType::kInt16},
          {.name = "ids", .form = Form::kRagged, .type = DataType::kInt32},
          {.name = "text", .type = DataType::kBytes, .values = 2, .fill_bytes = {{"a", "bc"}}},
          {.name = "words", .form = Form::kRagged, .type = DataType::kBytes},
          {.name = "raw", .form = Form::kRaw, .type = DataType::kUint8, .values = 3, .truncate = true, .pad = true}};
}

std::string RandomExample(Dice& dice) {
  std::string features = Ints("x", {static_cast<int64_t>(dice.Below(1000))}) + Strings("raw", {"abcd"});
  if (dice.OneIn(2)) features += Entry("ids", Field(3, RandomValues(FeatureKind::kInt32, dice.Below(6), dice)));
  if (dice.OneIn(2)) features += Strings("text", {std::string(dice.Below(2000), 't'), "u"});
  if (dice.OneIn(2)) features += Entry("words", Field(1, RandomValues(FeatureKind::kBytes, dice.Below(6), dice)));
  if (dice.OneIn(9)) features += Group(7, "");
  return Example(features);
}

// Numbers that fit: RandomValues() also returns some that do not.
std::vector<FeatureSpec> ThatFit() {
  std::vector<FeatureSpec> specs = AllForms();
  specs[1].type = DataType::kInt64;
  return specs;
}

TEST_CASE("the result does not depend on the number of threads") {
  Dice dice(1);
  std::vector<std::string> payloads;
  for (int i = 0; i < 3000; ++i) payloads.push_back(RandomExample(dice));
  const Payloads records(PayloadKind::kExample, payloads);
  const BatchDecoder decoder = DecoderOf(ThatFit());
  for (const size_t count : {size_t{1}, size_t{127}, size_t{256}, size_t{1000}, size_t{3000}}) {
    std::vector<uint64_t> ordinals(count);
    for (uint64_t& ordinal : ordinals) ordinal = dice.Below(payloads.size());
    const std::string expected = Spell(decoder.Decode(records.source(), ordinals, 1));
    REQUIRE(expected.starts_with("["));
    for (const unsigned threads : {2U, 3U, 8U, 100U}) {
      CHECK(Spell(decoder.Decode(records.source(), ordinals, threads)) == expected);
    }
  }
}

TEST_CASE("the first failing record is reported, whatever the number of threads") {
  Dice dice(2);
  for (int round = 0; round < 20; ++round) {
    std::vector<std::string> payloads;
    for (int i = 0; i < 2000; ++i) {
      payloads.push_back(dice.OneIn(300) ? Example(Ints("y", {1})) : Example(Ints("x", {1}) + Strings("raw", {""})));
    }
    const Payloads records(PayloadKind::kExample, payloads);
    const BatchDecoder decoder = DecoderOf(AllForms());
    const std::string expected = Spell(decoder.Decode(records.source(), records.all(), 1));
    for (int again = 0; again < 5; ++again) {
      CHECK(Spell(decoder.Decode(records.source(), records.all(), 4)) == expected);
    }
  }
}

TEST_CASE("one decoder serves many threads, which share one pool of buffers") {
  std::vector<std::string> payloads(600, Example(Strings("s", {std::string(5000, 's')})));
  const Payloads records(PayloadKind::kExample, payloads);
  const BatchDecoder decoder = DecoderOf({{.name = "s", .type = DataType::kBytes}});
  std::vector<std::jthread> threads;
  for (int k = 0; k < 4; ++k) {
    threads.emplace_back([&] {
      for (int round = 0; round < 20; ++round) {
        const auto batch = decoder.Decode(records.source(), records.all(), 2);
        REQUIRE(batch);
        CHECK(batch->arrays[0].values.size() == 600 * 5000);
        CHECK(batch->arrays[0].values.data()[600 * 5000 - 1] == 's');
      }
    });
  }
}

}  // namespace
}  // namespace ofindex
