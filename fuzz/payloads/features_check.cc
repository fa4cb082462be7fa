#include <bit>
#include <string>
#include <vector>

#include "fuzz/expect.h"
#include "fuzz/input.h"
#include "fuzz/payloads/payload_checks.h"
#include "proto/encode/payload_builder.h"
#include "proto/encode/transcoder.h"
#include "proto/extract/value_scan.h"
#include "proto/feature_slices.h"
#include "proto/features.h"
#include "proto/payload_kind.h"
#include "tools/show/wire_text.h"

namespace ofindex {
namespace {

// Appends the values as text, each by its bits.
void AppendValues(const FeatureData& data, std::string& text) {
  switch (data.kind()) {
    case FeatureKind::kNone: break;
    case FeatureKind::kBytes:
      for (const ByteView bytes : data.bytes()) text += StrCat(bytes.size(), ":", AsText(bytes), ",");
      break;
    case FeatureKind::kFloat:
      for (const float number : data.floats()) text += StrCat(std::bit_cast<uint32_t>(number), ",");
      break;
    case FeatureKind::kDouble:
      for (const double number : data.doubles()) text += StrCat(std::bit_cast<uint64_t>(number), ",");
      break;
    default:
      for (const int64_t number : data.integers()) text += StrCat(number, ",");
  }
}

// Returns the values as text, read in slices, of which those of an outline have at most three values.
std::string SpellValues(const DecodedRecord& record, FeatureValue value) {
  std::string text = StrCat(Name(value.kind), "(");
  FeatureSlices slices(record, value, 3);
  FeatureData slice;
  size_t count = 0;
  while (slices.Next(&slice)) {
    AppendValues(slice, text);
    count += slice.count();
  }
  Expect(count == value.count, "slices with ", count, " of ", value.count, " values");
  return text + ")";
}

std::string SpellRecord(const DecodedRecord& record) {
  std::string text;
  for (const Feature& feature : record.features()) {
    text += StrCat(feature.name.size(), ":", AsText(feature.name), "=", SpellValues(record, feature.value), "\n");
  }
  for (const FeatureList& list : record.feature_lists()) {
    text += StrCat(list.name.size(), ":", AsText(list.name), "[]=");
    for (const FeatureValue step : record.steps(list)) text += SpellValues(record, step);
    text += "\n";
  }
  return text;
}

void CheckOutline(ByteView payload, const DecodedRecord& record, PayloadKind kind, bool is_sound) {
  DecodedRecord outline;
  Expect(IsThere(outline.DecodeOutline(payload, kind)) == is_sound, "a payload that is sound only with its values");
  if (is_sound) ExpectSame(SpellRecord(record), SpellRecord(outline), "a record and its outline");
}

// Adds all features to `builder`. Returns false if one has no place there, such as a name that is not UTF-8.
bool AddAll(const DecodedRecord& record, PayloadBuilder& builder) {
  for (const Feature& feature : record.features()) {
    if (!IsThere(builder.Add(feature.name, FeatureData::Of(record, feature.value)))) return false;
  }
  for (const FeatureList& list : record.feature_lists()) {
    std::vector<FeatureData> steps;
    for (const FeatureValue step : record.steps(list)) steps.push_back(FeatureData::Of(record, step));
    if (!IsThere(builder.AddList(list.name, steps))) return false;
  }
  return true;
}

void CheckWritten(const DecodedRecord& record, PayloadKind kind) {
  for (const EntryOrder order : {EntryOrder::kSorted, EntryOrder::kAsAdded}) {
    PayloadBuilder builder(kind, order);
    if (!AddAll(record, builder)) return;
    const Result<ByteView> payload = builder.Finish();
    Expect(payload.has_value(), "what was decoded cannot be written");
    DecodedRecord again;
    Expect(again.Decode(*payload, kind).has_value(), "what was written does not decode");
    ExpectSame(SpellRecord(record), SpellRecord(again), "features decoded, and decoded again");
    Expect(StrictPayloadKind(*payload) != PayloadKind::kOfRecord || kind == PayloadKind::kOfRecord,
           "an Example was written that is strictly an OFRecord");
  }
}

// Converts to every message that can hold the features, and checks that as many of them are there.
void CheckConverted(ByteView payload, const DecodedRecord& record, PayloadKind kind) {
  for (const PayloadKind to : {PayloadKind::kExample, PayloadKind::kSequenceExample, PayloadKind::kOfRecord}) {
    for (const Lossy lossy : {Lossy::kRefuse, Lossy::kAllow}) {
      Result<Transcoder> transcoder = Transcoder::Create(kind, to, lossy);
      if (!IsThere(transcoder)) continue;
      const Result<ByteView> converted = transcoder->Convert(payload);
      if (!IsThere(converted)) continue;
      DecodedRecord again;
      Expect(again.Decode(*converted, to).has_value(), "what was converted does not decode");
      Expect(again.features().size() == record.features().size(), "a conversion has other features");
    }
  }
}

// Scans for one feature after another. A scan leaves out what it need not read, so it may succeed where decoding fails.
void CheckScans(ByteView payload, const DecodedRecord& record, PayloadKind kind) {
  for (const Feature& feature : record.features()) {
    Expect(record.Find(feature.name) == &feature, "a feature is not found by its name");
    // A name that looks like a list may be one.
    if (kind == PayloadKind::kSequenceExample && AsText(feature.name).ends_with("[]")) continue;
    const FeatureData data = FeatureData::Of(record, feature.value);
    size_t count = 0;
    const bool sound = ValueScan(kind, AsText(feature.name)).Run(payload, [&](const ScannedValue& value) {
      Expect(value.kind == feature.value.kind, "a scan finds a ", Name(value.kind), ", expected ",
             Name(feature.value.kind));
      if (value.kind == FeatureKind::kBytes) {
        Expect(count < data.count() && value.bytes.data() == data.bytes()[count].data(), "a scan finds other bytes");
      } else if (value.kind == FeatureKind::kInt32 || value.kind == FeatureKind::kInt64) {
        Expect(count < data.count() && value.integer == data.integers()[count], "a scan finds another number");
      }
      ++count;
    });
    Expect(sound, "a scan of a sound payload fails");
    const bool has_reals = feature.value.kind == FeatureKind::kFloat || feature.value.kind == FeatureKind::kDouble;
    Expect(has_reals || count == feature.value.count, "a scan finds ", count, " of ", feature.value.count);
  }
}

// Dumps the payload, whole and one feature of it.
void CheckDumps(ByteView payload, PayloadKind kind, bool is_sound) {
  size_t lines = 0;
  const LineSink count = [&](std::string_view line) -> Result<void> {
    Expect(line.find('\n') == std::string_view::npos, "a line with a newline");
    ++lines;
    return {};
  };
  const Result<WireOutcome> all = ExplainWire(payload, kind, std::nullopt, count);
  Expect(all.has_value(), "a dump fails");
  Expect(lines <= 8 * payload.size() + 8, lines, " lines for ", payload.size(), " bytes");
  Expect((all->malformed.fault == WireFault::kNone) == (is_sound || kind == PayloadKind::kOpaque),
         "a dump and the decoder disagree about what is malformed");
  Expect(ExplainWire(payload, kind, "a", count).has_value(), "a dump of one feature fails");
}

}  // namespace

void CheckFeatures(ByteView bytes) {
  FuzzInput input(bytes);
  const auto kind = static_cast<PayloadKind>(input.Below(4));
  const ByteView rest = input.Rest();
  const std::vector<uint8_t> payload(rest.begin(), rest.end());
  DecodedRecord record;
  const bool is_sound = IsThere(record.Decode(payload, kind));
  CheckDumps(payload, kind, is_sound);
  CheckOutline(payload, record, kind, is_sound);
  const std::optional<PayloadKind> strict = StrictPayloadKind(payload);
  Expect(strict.has_value() == !payload.empty(), "only an empty payload may be of every kind");
  if (!is_sound) return;
  CheckWritten(record, kind);
  CheckConverted(payload, record, kind);
  CheckScans(payload, record, kind);
}

}  // namespace ofindex
