#include "index/columns/column_choice.h"

#include <algorithm>
#include <string_view>

#include "base/text.h"

namespace ofindex {
namespace {

// The choice is stored on the one page of the table `dataset`.
constexpr size_t kMaxText = 32 << 10;

// Prefix of names that are added to the automatic ones.
constexpr std::string_view kAutoAnd = "auto,";

}  // namespace

Result<ColumnChoice> ColumnChoice::Parse(const std::string& text) {
  ColumnChoice choice;
  if (text == "auto") return choice;
  const bool added = text.starts_with(kAutoAnd);
  choice.mode = added ? Mode::kAuto : text == "none" ? Mode::kNone : Mode::kNamed;
  if (text.size() > kMaxText) return Fail(ErrorCode::kLimit, StrCat("columns: over ", kMaxText, " bytes of names"));
  if (choice.mode == Mode::kNone) return choice;
  std::string name;
  for (size_t i = added ? kAutoAnd.size() : 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] != ',') {
      if (text[i] == '\\' && i + 1 < text.size()) ++i;
      name += text[i];
      continue;
    }
    if (name.empty()) {
      return Fail(ErrorCode::kUsage, "columns: an empty name; expected auto, none, or comma-separated names");
    }
    choice.names.push_back(std::move(name));
    name.clear();
  }
  std::sort(choice.names.begin(), choice.names.end());
  choice.names.erase(std::unique(choice.names.begin(), choice.names.end()), choice.names.end());
  return choice;
}

std::string ColumnChoice::Text() const {
  if (mode == Mode::kNone) return "none";
  std::string text = mode == Mode::kAuto ? "auto" : "";
  for (const std::string& name : names) {
    if (!text.empty()) text += ',';
    const bool is_word = name == "auto" || (name == "none" && names.size() == 1);
    if (is_word && text.empty()) text += '\\';
    for (const char c : name) {
      if (c == ',' || c == '\\') text += '\\';
      text += c;
    }
  }
  return text;
}

bool ColumnChoice::Named(const std::string& name) const { return std::binary_search(names.begin(), names.end(), name); }

}  // namespace ofindex
