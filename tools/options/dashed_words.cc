#include "tools/options/dashed_words.h"

#include <algorithm>
#include <string_view>

#include "base/text.h"
#include "tools/options/argument_words.h"

namespace ofindex {
namespace {

bool IsNameChar(char c) { return (Folded(c) >= 'a' && Folded(c) <= 'z') || (c >= '0' && c <= '9') || c == '_'; }

// Returns whether `text` begins with NAME=.
bool IsAssignment(std::string_view text) {
  const size_t equals = text.find('=');
  return equals != 0 && equals != std::string_view::npos &&
         std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(equals), IsNameChar);
}

// Returns whether `word`, which begins with a dash, can only be SQL: no option of `verb`, nor a misspelt one.
bool IsDashedSql(const VerbText& verb, std::string_view word) {
  if (word.starts_with("--")) {
    const std::string_view name = word.substr(2, word.find('=') - 2);
    return !std::all_of(name.begin(), name.end(), [](char c) { return IsNameChar(c) || c == '-'; });
  }
  const std::string_view rest = word.substr(2);
  const OptionText* option = verb.Find(word.substr(0, 2));
  if (option != nullptr && !option->value.empty()) return !rest.empty() && !IsAssignment(rest);
  return !std::all_of(rest.begin(), rest.end(), IsNameChar);
}

}  // namespace

std::vector<std::string> DashedLast(const VerbText& verb, const std::vector<std::string>& words) {
  std::vector<std::string> others;
  std::vector<std::string> dashed;
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--") return words;
    const bool begins = words[i].size() > 1 && words[i][0] == '-';
    if (begins && IsDashedSql(verb, words[i])) {
      dashed.push_back(words[i]);
      continue;
    }
    others.push_back(words[i]);
    if (begins && TakesNextWord(verb, words[i]) && i + 1 < words.size()) others.push_back(words[++i]);
  }
  if (dashed.empty()) return words;
  others.emplace_back("--");
  others.insert(others.end(), dashed.begin(), dashed.end());
  return others;
}

}  // namespace ofindex
