#include "proto/feature_slices.h"

#include <doctest/doctest.h>

#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/proto/message_bytes.h"
#include "tests/proto/message_maker.h"

namespace ofindex {
namespace {

// Returns the values as text, with the size of each slice before it.
std::string Sliced(const DecodedRecord& record, FeatureValue value, size_t most) {
  std::string out;
  FeatureSlices slices(record, value, most);
  for (FeatureData slice; slices.Next(&slice);) {
    out += std::to_string(slice.count()) + ":";
    if (slice.kind() == FeatureKind::kBytes) {
      for (const ByteView bytes : slice.bytes()) out += std::string(AsText(bytes)) + " ";
    } else if (slice.kind() == FeatureKind::kFloat) {
      for (const float real : slice.floats()) out += std::to_string(real) + " ";
    } else {
      for (const int64_t integer : slice.integers()) out += std::to_string(integer) + " ";
    }
  }
  return out;
}

TEST_CASE("an outline gives its values in slices, across the lists that are merged") {
  const std::string payload =
      Field(1, Entry("words", ByteStrings({"a", "b", "c"})) + Entry("a", Int64s({1, 2, 3, 300, -1})) +
                   Entry("a", Int64s({7}) + Int64s({8, 9}) + Int64s({}) + Int64s({10, 70000})));
  DecodedRecord record;
  REQUIRE(record.DecodeOutline(AsBytes(payload), PayloadKind::kExample));
  const Feature* const a = record.Find(AsBytes("a"));
  REQUIRE(a != nullptr);
  CHECK(a->value.count == 5);
  CHECK(Sliced(record, a->value, 1) == "1:7 1:8 1:9 1:10 1:70000 ");
  CHECK(Sliced(record, a->value, 2) == "2:7 8 2:9 10 1:70000 ");
  CHECK(Sliced(record, a->value, 4) == "4:7 8 9 10 1:70000 ");
  CHECK(Sliced(record, a->value, 5) == "5:7 8 9 10 70000 ");
  CHECK(Sliced(record, a->value, 100) == "5:7 8 9 10 70000 ");
  CHECK(Sliced(record, record.Find(AsBytes("words"))->value, 2) == "2:a b 1:c ");
  REQUIRE(record.Decode(AsBytes(payload), PayloadKind::kExample));  // one slice, whatever the limit
  CHECK(Sliced(record, record.Find(AsBytes("a"))->value, 2) == "5:7 8 9 10 70000 ");
}

// The sum of all values that slices give, so that all of their bytes are read.
uint64_t SumOf(const DecodedRecord& record, FeatureValue value, size_t most, uint64_t& count) {
  uint64_t sum = 0;
  FeatureSlices slices(record, value, most);
  for (FeatureData slice; slices.Next(&slice);) {
    count += slice.count();
    if (slice.kind() != FeatureKind::kBytes) continue;
    for (const ByteView bytes : slice.bytes()) {
      for (const uint8_t byte : bytes) sum += byte;
    }
  }
  return sum;
}

TEST_CASE("an outline of bytes that change meanwhile has its names, and never more values than it counted") {
  uint64_t total = 0;
  for (const PayloadKind kind : {PayloadKind::kExample, PayloadKind::kSequenceExample, PayloadKind::kOfRecord}) {
    MessageMaker maker(kind, 7);
    for (int i = 0; i < 3000; ++i) {
      std::string payload = maker.Make();
      DecodedRecord record;
      if (payload.empty() || !record.DecodeOutline(AsBytes(payload), kind)) continue;
      std::vector<std::string> names;
      for (const Feature& feature : record.features()) names.emplace_back(AsText(feature.name));
      for (uint64_t changes = 1 + maker.Below(8); changes > 0; --changes) {
        payload[maker.Below(payload.size())] = static_cast<char>(maker.Below(256));
      }
      const auto check = [&](FeatureValue value) {
        uint64_t count = 0;
        total += SumOf(record, value, 1 + maker.Below(4), count);
        REQUIRE(count <= value.count);
      };
      for (size_t j = 0; j < names.size(); ++j) {
        REQUIRE(AsText(record.features()[j].name) == names[j]);
        check(record.features()[j].value);
      }
      for (const FeatureList& list : record.feature_lists()) {
        for (const FeatureValue& step : record.steps(list)) check(step);
      }
    }
  }
  CHECK(total > 0);
}

}  // namespace
}  // namespace ofindex
