#include "tools/options/argument_words.h"

namespace ofindex {

bool TakesNextWord(const VerbText& verb, std::string_view word) {
  if (word.size() > 2 && !word.starts_with("--")) return false;
  const OptionText* option = verb.Find(word);
  return option != nullptr && !option->value.empty();
}

std::vector<size_t> ArgumentPositions(const VerbText& verb, const std::vector<std::string>& words) {
  std::vector<size_t> positions;
  bool options_end = false;
  for (size_t i = 0; i < words.size(); ++i) {
    if (options_end || !words[i].starts_with('-') || words[i] == "-") {
      positions.push_back(i);
    } else if (words[i] == "--") {
      options_end = true;
    } else if (TakesNextWord(verb, words[i])) {
      ++i;
    }
  }
  return positions;
}

}  // namespace ofindex
