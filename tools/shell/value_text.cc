#include "tools/shell/value_text.h"

#include <set>

#include "base/text.h"
#include "query/columns/base64.h"
#include "tools/terminal/text_width.h"

namespace ofindex {
namespace {

using Type = ColumnValue::Type;

constexpr size_t kMaxBytesOfCharacter = 4;

// Printable(), except that tabs and newlines stay.
std::string PrintableLines(std::string_view text) {
  std::string out;
  for (;;) {
    const size_t end = text.find_first_of("\t\r\n");
    out += Printable(text.substr(0, end));
    if (end == std::string_view::npos) return out;
    out += text[end];
    text.remove_prefix(end + 1);
  }
}

std::string DoubledQuotes(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out;
}

}  // namespace

Json JsonOfValue(const Chunk::Value& value) {
  switch (value.type) {
    case Type::kNull: return nullptr;
    case Type::kInteger: return value.integer;
    case Type::kReal: return JsonReal(value.real);
    case Type::kText:
    case Type::kBlob: return JsonBytes(value.bytes);
  }
  return nullptr;
}

std::string CsvField(std::string_view exact) {
  std::string text = PrintableLines(exact);
  if (!text.empty() && text.find_first_of(",\"\r\n") == std::string::npos) return text;
  return StrCat("\"", DoubledQuotes(text), "\"");
}

std::string CsvPart(std::string_view exact) { return DoubledQuotes(PrintableLines(exact)); }

std::string CsvOfValue(const Chunk::Value& value) {
  switch (value.type) {
    case Type::kNull: return "";
    case Type::kInteger: return std::to_string(value.integer);
    case Type::kReal: return RealText(value.real);
    case Type::kText:
    case Type::kBlob: break;
  }
  if (IsUtf8(AsText(value.bytes))) return CsvField(AsText(value.bytes));
  std::string field = R"("{""base64"":"")";  // JsonBytes(), quoted
  AppendBase64(value.bytes, field);
  return field + R"(""}")";
}

std::vector<std::string> DistinctNames(const std::vector<std::string>& names) {
  std::vector<std::string> distinct;
  std::set<std::string> taken(names.begin(), names.end());
  std::set<std::string> seen;
  for (const std::string& name : names) {
    distinct.push_back(name);
    if (seen.insert(name).second) continue;
    for (int n = 2; !taken.insert(distinct.back() = StrCat(name, "_", n)).second;) ++n;
  }
  return distinct;
}

std::string RealText(double real) {
  const Json json = JsonReal(real);
  return json.is_string() ? json.get<std::string>() : Dump(json);
}

std::string ShownText(std::string_view text, size_t limit) {
  // Escapes only the part of the text that may be shown.
  const std::string_view front = text.substr(0, (limit + 1) * kMaxBytesOfCharacter);
  return CutToWidth(front.size() < text.size() ? Printable(front).append("...") : Printable(front), limit);
}

std::string ShownValue(const Chunk::Value& value, size_t limit) {
  switch (value.type) {
    case Type::kNull: return "NULL";
    case Type::kInteger: return std::to_string(value.integer);
    case Type::kReal: return RealText(value.real);
    case Type::kText: return ShownText(AsText(value.bytes), limit);
    case Type::kBlob: break;
  }
  const size_t room = (limit - 3) / 2;  // between x' and '
  if (value.bytes.size() <= room) return StrCat("x'", ToHex(value.bytes), "'");
  return StrCat("x'", ToHex(value.bytes.first(room - 2)), "...'");
}

}  // namespace ofindex
