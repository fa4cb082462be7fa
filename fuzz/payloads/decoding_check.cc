#include <algorithm>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "fuzz/expect.h"
#include "fuzz/input.h"
#include "fuzz/payloads/payload_checks.h"
#include "query/decoding/batch_decoder.h"
#include "query/decoding/decoding_plan.h"
#include "query/decoding/feature_column.h"
#include "query/decoding/plain_decoder.h"
#include "query/decoding/whole_record.h"

namespace ofindex {
namespace {

constexpr size_t kMostSpecs = 4;
constexpr uint64_t kMostValues = 16;

// Copies the first bytes; refuses a string that begins with an odd byte.
class FirstBytes final : public BytesDecoder {
 public:
  Result<void> Decode(ByteView bytes, uint8_t* to) const override {
    if (bytes.empty() || bytes[0] % 2 != 0) return Fail(ErrorCode::kFeature, "an odd byte; expected an even one");
    for (size_t i = 0; i < kBytes; ++i) to[i] = i < bytes.size() ? bytes[i] : uint8_t{0};
    return {};
  }
  [[nodiscard]] uint64_t bytes() const override { return kBytes; }

 private:
  static constexpr size_t kBytes = 8;
};

// A default of one value or of all, or of a wrong number or type.
void TakeDefault(FeatureSpec& spec, FuzzInput& input) {
  const uint8_t choice = input.Byte();
  const size_t values = choice % 4 == 0 ? spec.values : choice % 4;
  if ((spec.type == DataType::kBytes) == ((choice & 64) == 0)) {
    spec.fill_bytes = std::vector<std::string>(values, "none");
  } else {
    const size_t item = spec.type == DataType::kBytes ? 1 : ItemBytes(spec.type);
    spec.fill = std::vector<uint8_t>(values * item, choice / 4 % 4);
  }
}

FeatureSpec TakeSpec(FuzzInput& input, const std::vector<FeatureSpec>& others) {
  static constexpr const char* kNames[] = {"a", "label", "image", "l[]", "", "score", "d"};
  FeatureSpec spec{.name = kNames[input.Below(std::size(kNames))]};
  spec.form = static_cast<FeatureSpec::Form>(input.Below(4));
  spec.type = static_cast<DataType>(input.Below(static_cast<size_t>(DataType::kBytes) + 1));
  spec.values = input.Below(kMostValues);
  const uint8_t options = input.Byte();
  const auto is_same = [&](const FeatureSpec& other) { return other.name == spec.name; };
  if (options < 224 && std::any_of(others.begin(), others.end(), is_same)) spec.name += StrCat(others.size());
  if (spec.form == FeatureSpec::Form::kMade && (options & 8) == 0) {
    spec.decoder = std::make_shared<const FirstBytes>();
    spec.values = 8 / std::max<uint64_t>(1, ItemBytes(spec.type));
  }
  if ((options & 1) != 0) TakeDefault(spec, input);
  spec.truncate = (options & 2) != 0;
  spec.pad = (options & 4) != 0;
  return spec;
}

// Columns with room for one record each.
class OneRecord {
 public:
  explicit OneRecord(const std::vector<FeatureSpec>& specs) : places_(specs.size()) {
    for (size_t i = 0; i < specs.size(); ++i) {
      const bool has_place = FeatureColumn::HasPlace(specs[i]);
      if (has_place) places_[i].resize(specs[i].values * ItemBytes(specs[i].type));
      columns.emplace_back(specs[i], has_place ? places_[i].data() : nullptr);
    }
  }

  // Returns the bits of all arrays.
  std::string Spell() {
    std::string text;
    for (size_t i = 0; i < columns.size(); ++i) {
      if (FeatureColumn::HasPlace(columns[i].spec())) {
        text += ToHex(places_[i]) + " ";
        continue;
      }
      const uint64_t values = columns[i].ValuesOf(1);
      const FeatureArray& array = columns[i].array();
      text += StrCat(values, ":", ToHex(ByteView(array.values.data(), columns[i].BytesOf(values))), ":");
      if (array.type != DataType::kBytes) continue;
      for (uint64_t v = 0; v <= values; ++v) text += StrCat(array.offsets[v], ",");
    }
    return text;
  }

  std::vector<FeatureColumn> columns;

 private:
  std::vector<std::vector<uint8_t>> places_;
};

// Checks that the complete path accepts each record that the fast path accepts, with the same arrays. The fast path may
// have skipped damage in features that were not asked for.
void CheckBothPaths(const DecodingPlan& plan, PlainDecoder& plain, ByteView payload, PayloadKind kind) {
  OneRecord fast(plan.specs());
  if (!plain.Decode(payload, kind, 0, fast.columns)) return;
  OneRecord complete(plan.specs());
  WholeRecord whole;
  const Result<void> decoded = whole.Decode(payload, kind, 0, complete.columns);
  if (!IsThere(decoded)) {
    Expect(decoded.error().code == ErrorCode::kDamage,
           "the fast path takes what is refused: ", decoded.error().message);
    return;
  }
  ExpectSame(fast.Spell(), complete.Spell(), "the arrays of both paths");
}

// Decodes all records at once, and each alone.
void CheckBatches(const BatchDecoder& decoder, const std::vector<ByteView>& payloads, PayloadKind kind) {
  const MemoryPayloads source(payloads, kind);
  std::vector<uint64_t> ordinals;
  bool all_sound = true;
  for (uint64_t i = 0; i < payloads.size(); ++i) {
    ordinals.push_back(i);
    all_sound = IsThere(decoder.Decode(source, std::vector<uint64_t>{i})) && all_sound;
  }
  const Result<DecodedBatch> batch = decoder.Decode(source, ordinals);
  Expect(IsThere(batch) == all_sound, "a batch and its records differ in whether they decode");
  if (batch) Expect(batch->records == payloads.size(), "a batch of another size");
}

}  // namespace

void CheckDecoding(ByteView bytes) {
  FuzzInput input(bytes);
  const auto kind = static_cast<PayloadKind>(1 + input.Below(3));
  std::vector<FeatureSpec> specs;
  for (size_t n = input.Below(kMostSpecs + 1); specs.size() < n;) specs.push_back(TakeSpec(input, specs));
  Result<std::vector<FeatureSpec>> checked = DecodingPlan::Check(specs);
  const Result<BatchDecoder> decoder = BatchDecoder::Of(specs);
  Expect(checked.has_value() == decoder.has_value(), "specs are checked in two ways");
  if (!IsThere(checked)) return;
  std::vector<std::vector<uint8_t>> records;
  while (!input.empty() && records.size() < 4) {
    const ByteView record = records.size() == 3 ? input.Rest() : input.Bytes(input.Byte());
    records.emplace_back(record.begin(), record.end());
  }
  const DecodingPlan plan(std::move(*checked));
  PlainDecoder plain(plan);
  std::vector<ByteView> payloads;
  for (const auto& record : records) {
    CheckBothPaths(plan, plain, record, kind);
    plain.RefreshHeaderCache();
    payloads.emplace_back(record);
  }
  CheckBatches(*decoder, payloads, kind);
}

}  // namespace ofindex
