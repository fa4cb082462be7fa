#include <sqlite3.h>

#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/text.h"
#include "fuzz/expect.h"
#include "fuzz/input.h"
#include "fuzz/text/text_checks.h"
#include "index/catalog/part_facts.h"
#include "index/columns/column.h"
#include "query/columns/base64.h"
#include "query/columns/json_list_reader.h"
#include "query/columns/list_json.h"
#include "query/filter/like_pattern.h"
#include "query/sql/functions/pattern.h"
#include "tools/shell/json.h"

namespace ofindex {
namespace {

void CheckPart(const std::string& text) {
  const std::optional<PartFacts> part = PartFacts::Parse(text);
  if (!part) return;
  ExpectSame(text, part->Text(), "the text of a part, and what is written of it,");
  Expect(part->first <= part->last && part->last <= part->of && part->of <= kMaxParts, "no part of a job");
  Expect(!Describe(*part).empty(), "a part without a description");
}

void CheckList(const std::string& text) {
  std::vector<ColumnValue> values;
  JsonListReader reader(text);
  while (reader.Next()) values.push_back(reader.value());
  Expect(JsonListHas(text, {}).has_value() == reader.sound(), "a list only if no values are sought in it");
  if (!reader.sound()) return;
  bool has_infinite = false;
  for (const ColumnValue& value : values) {
    const bool is_null = value.type == ColumnValue::Type::kNull;
    Expect(JsonListHas(text, {value}) == !is_null, "a value of a list is not found, or NULL is");
    has_infinite |= value.type == ColumnValue::Type::kReal && std::isinf(value.real);
  }
  if (has_infinite || !IsText(AsBytes(text))) return;  // which are no JSON
  const Json document = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  Expect(document.is_array() && document.size() == values.size(), "a list that is no JSON array of as many values");
}

void CheckBase64(const std::string& text) {
  const std::optional<std::string> bytes = DecodeBase64(text);
  if (!bytes) return;
  std::string again;
  AppendBase64(AsBytes(*bytes), again);
  Expect(again.size() == text.size() && DecodeBase64(again) == bytes, "base64 that is written otherwise");
}

// SQLite is the oracle.
void CheckLike(const std::string& text, const std::string& pattern, bool glob, char escape) {
  if (!IsText(AsBytes(text)) || !IsText(AsBytes(pattern))) return;
  PatternRules rules = glob ? kGlobRules : kLikeRules;
  if (!glob && escape != '\0') rules.escape = std::string_view(&escape, 1);
  const bool matches = Matches(text, pattern, rules, [] { return true; });
  const int unequal = glob ? sqlite3_strglob(pattern.c_str(), text.c_str())
                           : sqlite3_strlike(pattern.c_str(), text.c_str(), static_cast<unsigned char>(escape));
  Expect(matches == (unequal == 0), "SQLite says otherwise of ", text, " and ", pattern);
  static_cast<void>(Matches(text, pattern, rules, [] { return false; }));
}

void CheckRegularExpression(const std::string& text, const std::string& pattern, const WorkLimits& limits) {
  const Result<std::unique_ptr<Pattern>> compiled = Pattern::Compile(pattern);
  if (!IsThere(compiled)) return;
  const Result<bool> found = (*compiled)->FoundIn(text, limits);
  if (!IsThere(found)) return;
  Expect(*(*compiled)->FoundIn(text, {}) == *found, "a text is found once, and not twice");
}

}  // namespace

// The first byte says what the rest is; a text and its pattern are separated by NUL.
void CheckTexts(ByteView bytes) {
  FuzzInput input(bytes);
  const uint8_t choice = input.Byte();
  unsigned detail = choice / 8;
  const std::string rest = input.Text();
  const size_t end = rest.find('\0');
  const std::string text = rest.substr(0, end);
  const std::string pattern = end == std::string::npos ? "" : rest.substr(end + 1);
  switch (choice % 8) {
    case 0: return CheckPart(rest);
    case 1:
    case 2: return CheckList(rest);
    case 3: return CheckBase64(rest);
    case 4: return CheckLike(text, pattern, /*glob=*/false, detail % 2 == 0 ? '\0' : '!');
    case 5: return CheckLike(text, pattern, /*glob=*/true, '\0');
    case 6:
      return CheckRegularExpression(text, pattern, {.may_continue = [&detail] { return detail > 0 && detail-- > 0; }});
    default: return CheckRegularExpression(text, pattern, {});
  }
}

}  // namespace ofindex
