#include "tools/report_page/record_card.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/text.h"
#include "tools/media/media_type.h"
#include "tools/report/stats_words.h"
#include "tools/report_page/charts.h"

namespace ofindex {
namespace {

constexpr uint64_t kMaxRecordBytes = uint64_t{16} << 20;  // decoded, a record takes up to 16 times its size
constexpr size_t kMaxFeatures = 16;
constexpr size_t kMaxDrawn = 4;   // pictures of one record
constexpr size_t kMaxValues = 6;  // of a list
constexpr size_t kMaxTexts = 3;
constexpr size_t kShownNameBytes = 80;
constexpr size_t kMaxTextBytes = 160;
constexpr size_t kMaxHexBytes = 12;
constexpr size_t kMinLine = 32;  // numbers that are drawn as a line

// Returns the beginning of `text`, which may end in the middle of a character: at most `limit` bytes and an ellipsis.
std::string Cut(std::string_view text, size_t limit) {
  if (text.size() <= limit) return std::string(text);
  size_t end = limit;
  while (end > limit - 4 && (static_cast<uint8_t>(text[end]) & 0xc0) == 0x80) --end;
  return StrCat(text.substr(0, end), "\u2026");
}

std::string NameText(ByteView name) { return Cut(AsText(name), kShownNameBytes); }

// Writes the name of a feature, which may break after a slash or an underscore, between its words.
void WriteName(std::string_view name, Html& html) {
  html.Open("dt").Open("bdi");
  while (!name.empty()) {
    const size_t end = std::min(name.find_first_of("/_"), name.size() - 1) + 1;
    html.Text(name.substr(0, end));
    name.remove_prefix(end);
    if (!name.empty()) html.Void("wbr");
  }
  html.Close().Close();
}

std::string TextOfBytes(ByteView bytes) {
  const MediaType type = MediaTypeOf(bytes);
  const std::string size = FormatBytes(static_cast<double>(bytes.size()));
  if (type.medium == Medium::kText) {
    const std::string text = Cut(AsText(bytes), kMaxTextBytes);
    return bytes.size() > kMaxTextBytes ? StrCat(text, " (", size, ")") : text;
  }
  if (type.medium != Medium::kBytes) return StrCat(type.name, ", ", size);
  if (bytes.empty()) return "(no bytes)";
  const bool whole = bytes.size() <= kMaxHexBytes;
  return StrCat(size, ": ", ToHex(bytes.first(std::min(bytes.size(), kMaxHexBytes))), whole ? "" : "\u2026");
}

std::string NumbersText(std::span<const double> numbers) {
  std::string text;
  for (const double number : numbers.first(std::min(numbers.size(), kMaxValues))) {
    text += StrCat(text.empty() ? "" : ", ", Rounded(number));
  }
  return numbers.size() <= kMaxValues ? text : StrCat(text, ", \u2026");
}

std::string IntegersText(std::span<const int64_t> integers) {
  std::string text;
  for (const int64_t integer : integers.first(std::min(integers.size(), kMaxValues))) {
    text += StrCat(text.empty() ? "" : ", ", integer);
  }
  return integers.size() <= kMaxValues ? text : StrCat(text, ", \u2026");
}

bool AllEqual(std::span<const double> numbers) {
  return std::adjacent_find(numbers.begin(), numbers.end(), std::not_equal_to<>()) == numbers.end();
}

std::string RangeText(std::span<const double> numbers) {
  double least = HUGE_VAL;
  double greatest = -HUGE_VAL;
  for (const double number : numbers) {
    if (!std::isfinite(number)) continue;
    least = std::min(least, number);
    greatest = std::max(greatest, number);
  }
  const std::string count = Counted(numbers.size(), "number");
  if (AllEqual(numbers)) return StrCat(count, ", all ", Rounded(least));
  return least > greatest ? count : StrCat(count, " from ", Rounded(least), " to ", Rounded(greatest));
}

bool HoldsReals(FeatureKind kind) { return kind == FeatureKind::kFloat || kind == FeatureKind::kDouble; }
bool HoldsIntegers(FeatureKind kind) { return kind == FeatureKind::kInt32 || kind == FeatureKind::kInt64; }

// Returns the text of a value without any drawing.
std::string ValueText(const DecodedRecord& record, FeatureValue value) {
  if (value.kind == FeatureKind::kNone) return "(no kind)";
  if (value.count == 0) return "(empty)";
  std::string text;
  if (value.kind == FeatureKind::kFloat) {
    const auto floats = record.floats(value).first(std::min<size_t>(value.count, kMaxValues + 1));
    text = NumbersText(std::vector<double>(floats.begin(), floats.end()));
  } else if (value.kind == FeatureKind::kDouble) {
    text = NumbersText(record.doubles(value));
  } else if (value.kind == FeatureKind::kBytes) {
    const auto all = record.bytes(value);
    for (const ByteView bytes : all.first(std::min(all.size(), kMaxTexts))) {
      text += StrCat(text.empty() ? "" : " \u00b7 ", TextOfBytes(bytes));
    }
    if (all.size() > kMaxTexts) text += " \u00b7 \u2026";
    return value.count > kMaxTexts ? StrCat(text, " (", Counted(value.count, "value"), ")") : text;
  } else {
    text = IntegersText(record.integers(value));
  }
  return value.count > kMaxValues ? StrCat(text, " (", Counted(value.count, "value"), ")") : text;
}

// Returns in a few words why a record cannot be read. The message itself, with paths of this machine, is for the
// terminal.
std::string WhyUnread(const Error& error) {
  switch (error.code) {
    case ErrorCode::kDamage: return "The record is damaged.";
    case ErrorCode::kStale: return "Its shard is missing, or no longer the file that was indexed.";
    case ErrorCode::kLimit: return "The record is too large for this page.";
    default: return "Its shard cannot be read.";
  }
}

}  // namespace

Result<void> RecordCards::Write(uint64_t ordinal, const std::string& id, const std::vector<std::string>& labels,
                                Html& html) {
  Result<void> loaded = Load(ordinal);
  const bool own = loaded || loaded.error().code == ErrorCode::kDamage || loaded.error().code == ErrorCode::kStale ||
                   loaded.error().code == ErrorCode::kIo || loaded.error().code == ErrorCode::kLimit;
  if (!own) return loaded;
  html.Open("article", {{"class", "card"}, {"id", id}});
  html.Element("h3", StrCat("Record ", ordinal));
  if (!labels.empty()) {
    html.Open("ul", {{"class", "labels"}});
    for (const std::string& label : labels) html.Open("li").Element("bdi", label).Close();
    html.Close();
  }
  if (!loaded) {
    Unread(loaded.error(), html);
  } else if (record_.decoded().features().empty() && record_.decoded().feature_lists().empty()) {
    WriteOpaque(html);
  } else {
    DrawPictures(StrCat(" of record ", ordinal), html);
    Features(html);
  }
  html.Close();
  return {};
}

Result<void> RecordCards::Load(uint64_t ordinal) {
  OFINDEX_ASSIGN(const RecordLocation location, dataset_.reader().Locate(ordinal));
  if (location.length > kMaxRecordBytes) {
    return Fail(ErrorCode::kLimit,
                StrCat("record ", ordinal, ": ", FormatBytes(static_cast<double>(location.length)),
                       "; expected at most 16 MiB for a page"),
                "`ofindex get` shows it");
  }
  return record_.Load(dataset_, ordinal, ShownRecord::Large::kDecoded);
}

void RecordCards::Unread(const Error& error, Html& html) {
  ++unread_;
  html.Element("p", {{"class", "left-out"}}, WhyUnread(error));
}

void RecordCards::DrawPictures(const std::string& of, Html& html) {
  const auto features = record_.decoded().features();
  drawn_.assign(features.size(), false);
  const uint64_t before = pictures_.drawn() + pictures_.left_out();
  html.Open("div", {{"class", "pictures"}});
  for (size_t i = 0; i < features.size(); ++i) {
    if (pictures_.drawn() + pictures_.left_out() - before == kMaxDrawn) break;
    const uint64_t drawn = pictures_.drawn();
    DrawFeature(features[i], of, html);
    drawn_[i] = pictures_.drawn() != drawn;
  }
  html.Close();
}

// Draws a feature if it is a picture.
void RecordCards::DrawFeature(const Feature& feature, const std::string& of, Html& html) {
  const DecodedRecord& record = record_.decoded();
  const std::string alt = NameText(feature.name) + of;
  const bool is_bytes = feature.value.kind == FeatureKind::kBytes && feature.value.count == 1;
  if (is_bytes && pictures_.Draw(record.bytes(feature.value)[0], alt, html)) return;
  const uint64_t numbers = is_bytes ? record.bytes(feature.value)[0].size() : feature.value.count;
  if (!is_bytes && !HoldsReals(feature.value.kind) && !HoldsIntegers(feature.value.kind)) return;
  const auto shape = shapes_.ShapeOf(record, AsText(feature.name), numbers);
  if (!shape) return;
  if (!is_bytes) return pictures_.DrawPixels(NumbersOf(feature.value), *shape, alt, html);
  const ByteView bytes = record.bytes(feature.value)[0];
  pictures_.DrawPixels(std::vector<double>(bytes.begin(), bytes.end()), *shape, alt, html);
}

void RecordCards::Features(Html& html) {
  const auto features = record_.decoded().features();
  html.Open("dl", {{"class", "features"}});
  size_t room = kMaxFeatures;
  for (size_t i = 0; i < features.size() && room > 0; ++i) {
    if (drawn_[i]) continue;
    WriteFeature(features[i], html);
    --room;
  }
  WriteLists(room, html);
  html.Close();
  const size_t drawn = static_cast<size_t>(std::count(drawn_.begin(), drawn_.end(), true));
  const size_t all = features.size() - drawn + record_.decoded().feature_lists().size();
  if (all > kMaxFeatures) {
    html.Element("p", {{"class", "left-out"}}, StrCat("and ", Counted(all - kMaxFeatures, "more feature")));
  }
}

void RecordCards::WriteFeature(const Feature& feature, Html& html) {
  const DecodedRecord& record = record_.decoded();
  const bool is_line = HoldsReals(feature.value.kind) && feature.value.count >= kMinLine;
  html.Open("div", {{"class", is_line ? "drawn" : "listed"}});
  WriteName(NameText(feature.name), html);
  html.Open("dd");
  if (is_line) {
    const std::vector<double> numbers = NumbersOf(feature.value);
    const std::string range = RangeText(numbers);
    if (!AllEqual(numbers)) DrawLine(numbers, StrCat(NameText(feature.name), ": ", range), html);
    html.Element("small", range);
  } else {
    html.Element("bdi", ValueText(record, feature.value));
  }
  html.Close().Close();
}

void RecordCards::WriteLists(size_t room, Html& html) {
  const DecodedRecord& record = record_.decoded();
  for (const FeatureList& list : record.feature_lists()) {
    if (room-- == 0) break;
    html.Open("div");
    WriteName(NameText(list.name) + "[]", html);
    html.Open("dd");
    const auto steps = record.steps(list);
    std::string text = Counted(steps.size(), "step");
    if (!steps.empty()) text += StrCat("; the first: ", ValueText(record, steps[0]));
    html.Element("bdi", text).Close().Close();
  }
}

void RecordCards::WriteOpaque(Html& html) {
  const ByteView payload = record_.payload();
  if (pictures_.Draw(payload, StrCat("payload of record ", record_.ordinal()), html)) return;
  html.Open("dl", {{"class", "features"}}).Open("div").Element("dt", "payload");
  html.Open("dd").Element("bdi", payload.empty() ? "(empty)" : TextOfBytes(payload));
  html.Close().Close().Close();
}

std::vector<double> RecordCards::NumbersOf(FeatureValue value) const {
  const DecodedRecord& record = record_.decoded();
  if (value.kind == FeatureKind::kFloat) {
    const auto floats = record.floats(value);
    return {floats.begin(), floats.end()};
  }
  if (value.kind == FeatureKind::kDouble) {
    const auto doubles = record.doubles(value);
    return {doubles.begin(), doubles.end()};
  }
  const auto integers = record.integers(value);
  std::vector<double> numbers;
  numbers.reserve(integers.size());
  for (const int64_t integer : integers) numbers.push_back(static_cast<double>(integer));
  return numbers;
}

}  // namespace ofindex
