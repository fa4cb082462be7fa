#include "index/column_choice.h"

#include <algorithm>

#include "base/text.h"

namespace ofindex {
namespace {

// The choice stands on the one page of the table `dataset`.
constexpr size_t kMostText = 32 << 10;

}  // namespace

Result<ColumnChoice> ColumnChoice::Parse(const std::string& text) {
  ColumnChoice choice;
  if (text == "auto") return choice;
  choice.mode = text == "none" ? Mode::kNone : Mode::kNamed;
  if (text.size() > kMostText) return Fail(ErrorCode::kLimit, StrCat("--columns: over ", kMostText, " bytes of names"));
  if (choice.mode == Mode::kNone) return choice;
  std::string name;
  for (size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] != ',') {
      if (text[i] == '\\' && i + 1 < text.size()) ++i;
      name += text[i];
      continue;
    }
    if (name.empty()) {
      return Fail(ErrorCode::kUsage, "--columns: an empty name; expected auto, none or names between commas");
    }
    choice.names.push_back(std::move(name));
    name.clear();
  }
  std::sort(choice.names.begin(), choice.names.end());
  choice.names.erase(std::unique(choice.names.begin(), choice.names.end()), choice.names.end());
  return choice;
}

std::string ColumnChoice::Text() const {
  if (mode != Mode::kNamed) return mode == Mode::kAuto ? "auto" : "none";
  std::string text;
  for (const std::string& name : names) {
    if (!text.empty()) text += ',';
    if (names.size() == 1 && (name == "auto" || name == "none")) text += '\\';
    for (const char c : name) {
      if (c == ',' || c == '\\') text += '\\';
      text += c;
    }
  }
  return text;
}

bool ColumnChoice::Named(const std::string& name) const {
  return mode == Mode::kNamed && std::binary_search(names.begin(), names.end(), name);
}

}  // namespace ofindex
