#include <sqlite3.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/expect.h"
#include "fuzz/input.h"
#include "fuzz/text/text_checks.h"
#include "index/catalog/part_facts.h"
#include "index/columns/column.h"
#include "index/columns/column_choice.h"
#include "index/columns/derivations.h"
#include "query/columns/base64.h"
#include "query/columns/json_list_reader.h"
#include "query/columns/list_json.h"
#include "query/filter/like_pattern.h"
#include "query/sql/functions/pattern.h"
#include "tools/shell/json.h"

namespace ofindex {
namespace {

void CheckPartText(const std::string& text) {
  const std::optional<PartFacts> part = PartFacts::Parse(text);
  if (!part) return;
  ExpectSame(text, part->Text(), "the text of a part, and what is written of it,");
  Expect(part->first <= part->last && part->last <= part->of && part->of <= kMaxParts, "no part of a job");
  Expect(!Describe(*part).empty(), "a part without a description");
}

// Facts that a part may have are the same after they were text.
void CheckPartFacts(FuzzInput& input) {
  PartFacts part{.first = 1 + static_cast<uint32_t>(input.Number(2))};
  part.last = part.first + static_cast<uint32_t>(input.Number(2));
  part.of = part.last + static_cast<uint32_t>(input.Number(2));
  part.inflate = {.checkpoint_bytes = input.Number(8), .max_ratio = input.Number(8), .max_bytes = input.Number(8)};
  for (uint8_t& byte : part.job) byte = input.Byte();
  for (size_t shards = input.Below(3); shards > 0; --shards) {
    const uint32_t after = part.partial.empty() ? 0 : part.partial.back().shard + 1;
    PartialShard partial{.shard = after + input.Byte(), .begin = input.Number(7)};
    partial.end = partial.begin + 1 + input.Number(7);
    partial.first = input.Number(8);
    partial.next = input.Number(8);
    partial.tested = input.Number(8);
    part.partial.push_back(partial);
  }
  if (input.Below(2) == 1) part.dropped_from = input.Text();
  Expect(PartFacts::Parse(part.Text()) == part, "a part that is another one after it was text: ", part.Text());
}

void CheckColumns(const std::string& text, const std::string& derived) {
  const std::optional<Derivations> derivations = Derivations::ParseText(derived);
  if (derivations) {
    ExpectSame(derived, derivations->Text(), "the text of what is derived, and what is written of it,");
    const Result<Derivations> again = Derivations::Of(derivations->Arguments());
    Expect(again.has_value() && *again == *derivations, "arguments that derive something else");
    for (const std::string& feature : derivations->Features()) {
      FeatureRow row{.name = feature, .kinds = kBytesKind};
      derivations->SetColumns(row);
      Expect(!row.derived.empty(), "a feature of which nothing is derived");
    }
  }
  const Result<ColumnChoice> choice = ColumnChoice::Parse(text, derived);
  if (!IsThere(choice)) return;
  Expect(derivations.has_value(), "columns are derived as a text says that says nothing");
  const Result<ColumnChoice> again = ColumnChoice::Parse(choice->Text());
  Expect(again.has_value() && again->mode == choice->mode && again->names == choice->names,
         "columns that are others after they were text: ", choice->Text());
  const std::vector<std::string> kept = choice->Kept();
  for (const std::string& name : choice->names) {
    Expect(choice->Named(name) && std::binary_search(kept.begin(), kept.end(), name), "a column without its feature");
  }
}

// Returns whether nlohmann::json has read the same value.
bool IsSame(const ColumnValue& value, const Json& json) {
  switch (value.type) {
    case ColumnValue::Type::kNull: return json.is_null();
    case ColumnValue::Type::kInteger: return json.is_number_integer() && json.get<int64_t>() == value.integer;
    case ColumnValue::Type::kReal: return json.is_number() && json.get<double>() == value.real;
    case ColumnValue::Type::kText: return json.is_string() && json.get<std::string>() == value.bytes;
    case ColumnValue::Type::kBlob:
      return json.is_object() && json.size() == 1 && json.contains("base64") && json["base64"].is_string() &&
             DecodeBase64(json["base64"].get<std::string>()) == value.bytes;
  }
  return false;
}

void CheckList(const std::string& text) {
  std::vector<ColumnValue> values;
  JsonListReader reader(text);
  while (reader.Next()) values.push_back(reader.value());
  const bool is_list = reader.sound();
  Expect(JsonListHas(text, {}).has_value() == is_list, "JsonListHas and JsonListReader disagree");
  for (const ColumnValue& value : values) {
    const bool is_null = value.type == ColumnValue::Type::kNull;
    Expect(!is_list || JsonListHas(text, {value}) == !is_null, "a value of a list is not found, or NULL is");
  }
  // nlohmann::json refuses infinite numbers, ends at NUL, and skips a byte order mark.
  if (!IsText(AsBytes(text)) || text.starts_with("\xef\xbb\xbf")) return;
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_array()) return;
  bool is_flat = true;
  for (const Json& each : json) is_flat &= each.is_number() || each.is_string() || each.is_null();
  Expect(is_list || !is_flat, "a JSON array of numbers and strings is no list");
  if (!is_list) return;
  Expect(json.size() == values.size(), "a list with another number of values than the JSON array");
  for (size_t i = 0; i < values.size(); ++i) Expect(IsSame(values[i], json[i]), "value ", i, " of a list is another");
}

void CheckBase64(const std::string& text) {
  const std::optional<std::string> bytes = DecodeBase64(text);
  if (!bytes) return;
  std::string again;
  AppendBase64(AsBytes(*bytes), again);
  Expect(again.size() == text.size() && DecodeBase64(again) == bytes, "base64 that is written otherwise");
}

// SQLite is the oracle.
void CheckLike(const std::string& text, const std::string& pattern, bool glob, std::string_view escape) {
  if (!IsText(AsBytes(text)) || !IsText(AsBytes(pattern))) return;
  PatternRules rules = glob ? kGlobRules : kLikeRules;
  rules.escape = escape;
  const bool matches = Matches(text, pattern, rules, [] { return true; });
  const unsigned escape_code = escape.empty() ? 0 : static_cast<unsigned char>(escape.front());
  const int unequal = glob ? sqlite3_strglob(pattern.c_str(), text.c_str())
                           : sqlite3_strlike(pattern.c_str(), text.c_str(), escape_code);
  Expect(matches == (unequal == 0), "SQLite says otherwise of ", text, " and ", pattern);
}

void CheckRegularExpression(const std::string& text, const std::string& pattern, const WorkLimits& limits) {
  const Result<std::unique_ptr<Pattern>> compiled = Pattern::Compile(pattern);
  if (!IsThere(compiled)) return;
  const Result<bool> found = (*compiled)->FoundIn(text, limits);
  if (!IsThere(found)) return;
  const Result<bool> again = (*compiled)->FoundIn(text, {});
  Expect(again.has_value() && *again == *found, "a pattern is found once, and not again");
}

// A pattern of which every character stands for itself.
void CheckLiteral(const std::string& text, const std::string& literal) {
  if (!IsText(AsBytes(text)) || !IsText(AsBytes(literal)) || literal.find("\\E") != std::string::npos) return;
  const Result<std::unique_ptr<Pattern>> compiled = Pattern::Compile(StrCat("\\Q", literal, "\\E"));
  Expect(compiled.has_value(), "a literal pattern is malformed");
  const Result<bool> found = (*compiled)->FoundIn(text, {});
  Expect(found.has_value() && *found == (text.find(literal) != std::string::npos), "a literal is not where it is");
}

}  // namespace

// The first byte says what the rest is. A text and its pattern are separated by NUL, as are the two texts of columns.
void CheckSmallFormats(ByteView bytes) {
  FuzzInput input(bytes);
  const uint8_t choice = input.Byte();
  unsigned detail = choice / 8;
  if (choice == 8) return CheckPartFacts(input);
  const std::string rest = input.Text();
  const size_t end = rest.find('\0');
  const std::string text = rest.substr(0, end);
  const std::string pattern = end == std::string::npos ? "" : rest.substr(end + 1);
  switch (choice % 8) {
    case 0: return detail % 2 == 0 ? CheckPartText(rest) : CheckColumns(text, pattern);
    case 1:
    case 2: return CheckList(rest);
    case 3: return CheckBase64(rest);
    case 4: return CheckLike(text, pattern, /*glob=*/false, detail % 2 == 0 ? "" : detail % 4 == 1 ? "!" : "a");
    case 5: return CheckLike(text, pattern, /*glob=*/true, {});
    case 6:
      return CheckRegularExpression(text, pattern, {.may_continue = [&detail] { return detail > 0 && detail-- > 0; }});
    default: return detail % 2 == 0 ? CheckRegularExpression(text, pattern, {}) : CheckLiteral(text, pattern);
  }
}

}  // namespace ofindex
