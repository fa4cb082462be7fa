#include "proto/extract/value_scan.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/proto/message_bytes.h"
#include "tests/proto/message_maker.h"

namespace ofindex {
namespace {

std::string TextOf(const ScannedValue& value) {
  if (value.kind == FeatureKind::kBytes) return "b" + std::string(AsText(value.bytes));
  if ((BitOf(value.kind) & kRealKinds) != 0) return "real";
  return "i" + std::to_string(value.integer);
}

// The values of a step or feature by the full decoder; runs of packed reals count as one.
void AppendDecoded(const DecodedRecord& record, FeatureValue value, std::vector<std::string>& texts) {
  if (value.kind == FeatureKind::kBytes) {
    for (const ByteView bytes : record.bytes(value)) texts.push_back("b" + std::string(AsText(bytes)));
  } else if ((BitOf(value.kind) & kRealKinds) != 0) {
    if (value.count != 0) texts.push_back("real");
  } else if (value.kind != FeatureKind::kNone) {
    for (const int64_t integer : record.integers(value)) texts.push_back("i" + std::to_string(integer));
  }
}

std::vector<std::string> Decoded(const DecodedRecord& record, const std::string& name) {
  std::vector<std::string> texts;
  for (const FeatureList& list : record.feature_lists()) {
    if (std::string(AsText(list.name)) + "[]" != name) continue;
    for (const FeatureValue step : record.steps(list)) AppendDecoded(record, step, texts);
    return texts;
  }
  if (const Feature* const feature = record.Find(AsBytes(name))) AppendDecoded(record, feature->value, texts);
  return texts;
}

// Joins neighbouring reals, of which the scan does not tell how many there are.
std::vector<std::string> Joined(const std::vector<std::string>& texts) {
  std::vector<std::string> joined;
  for (const std::string& text : texts) {
    if (text != "real" || joined.empty() || joined.back() != "real") joined.push_back(text);
  }
  return joined;
}

TEST_CASE("a scan for one feature finds the values that the full decoder finds") {
  for (const PayloadKind kind : {PayloadKind::kExample, PayloadKind::kSequenceExample, PayloadKind::kOfRecord}) {
    MessageMaker maker(kind, 11);
    size_t found = 0;
    for (int round = 0; round < 4000; ++round) {
      const std::string payload = maker.Make();
      DecodedRecord record;
      if (!record.Decode(AsBytes(payload), kind)) continue;
      for (const std::string name : {"a", "label", "", "b[]", "label[]"}) {
        std::vector<std::string> scanned;
        const bool sound = ValueScan(kind, name).Run(AsBytes(payload), [&](const ScannedValue& value) {
          scanned.push_back(TextOf(value));
        });
        REQUIRE(sound);
        REQUIRE(Joined(scanned) == Joined(Decoded(record, name)));
        found += scanned.size();
      }
    }
    CHECK(found > 1000);
  }
}

TEST_CASE("a scan of damaged bytes ends, and reads nothing outside of them") {
  MessageMaker maker(PayloadKind::kExample, 5);
  std::string other = maker.Make();
  for (int round = 0; round < 20'000; ++round) {
    const std::string payload = maker.Mutate(maker.Make(), other);
    const std::vector<uint8_t> exact(payload.begin(), payload.end());  // a sanitizer sees reads past its end
    size_t bytes = 0;
    static_cast<void>(ValueScan(PayloadKind::kExample, "a").Run(exact, [&](const ScannedValue& value) {
      bytes += value.bytes.size();
    }));
    CHECK(bytes <= payload.size());
    other = payload;
  }
  CHECK_FALSE(ValueScan(PayloadKind::kOpaque, "a").Run(AsBytes("x"), [](const ScannedValue&) {}));
}

}  // namespace
}  // namespace ofindex
