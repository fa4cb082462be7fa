#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "base/text.h"
#include "proto/wire/wire.h"
#include "query/decoding/decoding_plan.h"
#include "query/decoding/feature_column.h"
#include "query/decoding/plain_decoder.h"
#include "query/decoding/whole_record.h"
#include "tests/query/decoding/decoding.h"
#include "tests/query/decoding/random_records.h"
#include "tests/support/sanitizers.h"

// Random records, valid and broken, are decoded by the fast path, which may decline them, and by DecodedRecord: any
// record that the fast path takes, DecodedRecord must take too, with the same arrays. The test also counts how often
// the fast path takes a record.

namespace ofindex {
namespace {

constexpr int kRecords = 60'000 / kCaseStep;

/// Returns specs of all forms. Most fit the kind that their name has by its place in RandomNames().
std::vector<std::vector<FeatureSpec>> SpecSets(PayloadKind payload) {
  const auto ragged = [](const char* name, DataType type) {
    return FeatureSpec{.name = name, .form = Form::kRagged, .type = type};
  };
  const auto raw = [](const char* name, DataType type, uint64_t values) {
    return FeatureSpec{.name = name, .form = Form::kRaw, .type = type, .values = values, .truncate = true, .pad = true};
  };
  const bool is_ofrecord = payload == PayloadKind::kOfRecord;
  const DataType of_score = is_ofrecord ? DataType::kFloat32 : DataType::kInt32;
  const DataType of_i = is_ofrecord ? DataType::kUint64 : DataType::kFloat64;
  const DataType of_label = is_ofrecord ? DataType::kBytes : DataType::kInt64;
  const DataType of_d = is_ofrecord ? DataType::kInt32 : DataType::kBytes;
  return {
      {ragged("image", DataType::kFloat32), {.name = "score", .type = of_score}, ragged("label", of_label)},
      {{.name = "", .type = DataType::kBytes, .fill_bytes = {{"none"}}}, ragged("d", of_d)},
      {ragged("l[]", DataType::kFloat64), ragged("image[]", DataType::kInt64), {.name = "i", .type = of_i}},
      {raw("d", DataType::kUint8, 12), raw("score", DataType::kInt16, 2), raw("label", DataType::kFloat32, 3)},
      {},
  };
}

/// Columns for one record at a time, and their contents.
class Columns {
 public:
  explicit Columns(const std::vector<FeatureSpec>& specs) : places_(specs.size(), std::vector<uint8_t>(256)) {
    for (size_t i = 0; i < specs.size(); ++i) {
      columns.emplace_back(specs[i], FeatureColumn::HasPlace(specs[i]) ? places_[i].data() : nullptr);
    }
  }

  std::string Take() {
    std::string text;
    for (size_t i = 0; i < columns.size(); ++i) {
      const FeatureSpec& spec = columns[i].spec();
      if (FeatureColumn::HasPlace(spec)) {
        text += ToHex(ByteView(places_[i]).first(spec.values * ItemBytes(spec.type))) + " ";
        continue;
      }
      columns[i].array().count = columns[i].ValuesOf(1);
      text += Spell(columns[i].array(), 1) + " ";
    }
    Clear();
    return text;
  }

  void Clear() {
    for (FeatureColumn& column : columns) column.Rewind(0);
  }

  std::vector<FeatureColumn> columns;

 private:
  std::vector<std::vector<uint8_t>> places_;
};

/// Returns `payload` with the value of every entry emptied whose name is not wanted anywhere: the bytes that the fast
/// path may not have read. Malformed entries stay unchanged.
std::string WithoutUnwanted(const std::string& payload, PayloadKind kind, const DecodingPlan& plan) {
  const auto rewrite = [](ByteView message, uint32_t number, const auto& change) {
    Malformed malformed;
    WireReader reader(message, &malformed);
    std::string out;
    WireField field;
    const uint8_t* at = message.data();
    while (reader.Next(&field)) {
      const bool changes = field.type == WireType::kBytes && field.number == number;
      const ByteView whole(at, reader.rest().data());
      out += changes ? change(field.bytes, whole) : std::string(AsText(whole));
      at = reader.rest().data();
    }
    const ByteView rest(at, message.data() + message.size());
    return malformed.fault == WireFault::kNone ? out : out + std::string(AsText(rest));
  };
  const auto entry = [&](ByteView bytes, ByteView whole) {
    Malformed malformed;
    WireReader reader(bytes, &malformed);
    WireField field;
    std::string_view name;
    while (reader.Next(&field)) {
      if (field.type == WireType::kBytes && field.number == 1) name = AsText(field.bytes);
    }
    const bool is_unwanted = malformed.fault == WireFault::kNone && plan.Find(name) == DecodingPlan::kUnwanted;
    return is_unwanted ? Field(1, Field(1, name)) : std::string(AsText(whole));
  };
  if (kind == PayloadKind::kOfRecord) return rewrite(AsBytes(payload), 1, entry);
  const auto features = [&](ByteView bytes, ByteView) { return Field(1, rewrite(bytes, 1, entry)); };
  const std::string rewritten = rewrite(AsBytes(payload), 1, features);
  if (kind == PayloadKind::kExample || plan.may_have_lists()) return rewritten;
  return rewrite(AsBytes(rewritten), 2, [](ByteView, ByteView) { return Field(2, ""); });
}

struct Tally {
  int fast = 0;
  int sound = 0;
  int damaged = 0;
  int refused = 0;
  int different = 0;
  std::string first_difference = {};
};

class Comparison {
 public:
  Comparison(PayloadKind kind, const std::vector<FeatureSpec>& specs)
      : kind_(kind),
        plan_(DecodingPlan::Check(specs).value()),
        by_walk_(plan_.specs()),
        by_record_(plan_.specs()),
        walk_(plan_) {}

  void Compare(const std::string& payload, Tally& tally) {
    const std::vector<uint8_t> exact(payload.begin(), payload.end());
    const bool fast = walk_.Decode(exact, kind_, 0, by_walk_.columns);
    const std::string got = fast ? by_walk_.Take() : "";
    by_walk_.Clear();
    if (++count_ % 50 == 0) walk_.RefreshHeaderCache();
    auto outcome = whole_.Decode(exact, kind_, 0, by_record_.columns);
    tally.fast += fast ? 1 : 0;
    if (outcome) {
      ++tally.sound;
    } else {
      by_record_.Clear();
      ++(outcome.error().code == ErrorCode::kDamage ? tally.damaged : tally.refused);
      if (!fast) return;
      const std::string rest = WithoutUnwanted(payload, kind_, plan_);
      outcome = whole_.Decode(AsBytes(rest), kind_, 0, by_record_.columns);
    }
    const std::string expected = outcome ? by_record_.Take() : outcome.error().message;
    by_record_.Clear();
    if (!fast || got == expected) return;
    ++tally.different;
    if (tally.first_difference.empty()) {
      tally.first_difference = ToHex(AsBytes(payload)) + "\nexpected " + expected + "\ngot " + got;
    }
  }

 private:
  PayloadKind kind_;
  DecodingPlan plan_;
  Columns by_walk_;
  Columns by_record_;
  PlainDecoder walk_;
  WholeRecord whole_;
  int count_ = 0;
};

TEST_CASE("the fast path and the general path decode a record to the same arrays") {
  for (const PayloadKind kind : {PayloadKind::kExample, PayloadKind::kSequenceExample, PayloadKind::kOfRecord}) {
    Dice dice(static_cast<uint64_t>(kind));
    Tally tally;
    for (const std::vector<FeatureSpec>& specs : SpecSets(kind)) {
      Comparison comparison(kind, specs);
      std::string other;
      for (int i = 0; i < kRecords; ++i) {
        std::string payload = RandomRecord(kind, dice);
        if (dice.OneIn(3)) payload = Mutated(payload, other, dice);
        comparison.Compare(payload, tally);
        other = payload;
      }
    }
    CAPTURE(Name(kind));
    CAPTURE(tally.first_difference);
    CHECK(tally.different == 0);
    // Checks that the sample is meaningful: each outcome is frequent.
    CHECK(tally.fast > kRecords / 2);
    CHECK(tally.sound > tally.fast + kRecords / 2);
    CHECK(tally.damaged > kRecords / 2);
    CHECK(tally.refused > kRecords / 2);
  }
}

TEST_CASE("plain records are decoded by the fast path") {
  const std::string entries = Ints("label", {5}) + Floats("score", {0.5f}) + Strings("image", {std::string(300, 'x')}) +
                              Ints("ids", {1, 2, 300}) + Strings("words", {"a", "b"}) + Floats("none", {});
  const struct {
    PayloadKind kind;
    std::string payload;
  } rows[] = {
      {PayloadKind::kExample, Field(1, entries)},
      {PayloadKind::kSequenceExample, Field(1, entries)},
      {PayloadKind::kSequenceExample, Field(1, entries) + Field(2, "")},
      {PayloadKind::kOfRecord, Int32s("label", {5}) + Doubles("score", {0.5}) + Strings("words", {"a"})},
      {PayloadKind::kOfRecord, ""},
      {PayloadKind::kExample, Field(1, "")},
  };
  const DecodingPlan plan({{.name = "label", .form = Form::kRagged, .type = DataType::kInt32},
                           {.name = "ids", .form = Form::kRagged, .type = DataType::kInt64},
                           {.name = "words", .form = Form::kRagged, .type = DataType::kBytes}});
  for (const auto& row : rows) {
    Columns columns(plan.specs());
    PlainDecoder walk(plan);
    for (int i = 0; i < 3; ++i) {
      CHECK(walk.Decode(AsBytes(row.payload), row.kind, 0, columns.columns));
      columns.Clear();
    }
  }
  // A feature that is wanted twice, an unknown field, two kinds.
  for (const std::string& odd : {Ints("label", {5}) + Ints("label", {6}), Ints("label", {5}) + Group(3, ""),
                                 Entry("label", Field(3, "") + Field(1, ""))}) {
    Columns columns(plan.specs());
    PlainDecoder walk(plan);
    CHECK(!walk.Decode(AsBytes(Field(1, odd)), PayloadKind::kExample, 0, columns.columns));
  }
}

}  // namespace
}  // namespace ofindex
