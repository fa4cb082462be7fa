#include "query/filter/like_pattern.h"

#include <cstdint>

#include "base/text.h"

namespace ofindex {
namespace {

constexpr uint32_t kStepsPerQuestion = 1 << 16;

// Takes the first character of `text`, which is not empty: a lead byte and its continuation bytes.
std::string_view Take(std::string_view& text) {
  size_t n = 1;
  if (static_cast<unsigned char>(text[0]) >= 0xc0) {
    while (n < text.size() && (text[n] & 0xc0) == 0x80) ++n;
  }
  const std::string_view character = text.substr(0, n);
  text.remove_prefix(n);
  return character;
}

bool Same(std::string_view a, std::string_view b, bool fold) {
  return a == b || (fold && a.size() == 1 && b.size() == 1 && Folded(a[0]) == Folded(b[0]));
}

// Bytes of valid UTF-8 have the order of its code points.
bool Between(std::string_view character, std::string_view low, std::string_view high) {
  return low <= character && character <= high;
}

// Takes the rest of a set, after its '[', from `pattern`. Returns false if `character` is not in the set, or if the set
// does not end.
bool TakeSet(std::string_view character, std::string_view& pattern) {
  bool found = false;
  const bool inverted = pattern.starts_with('^');
  if (inverted) pattern.remove_prefix(1);
  std::string_view before;  // the possible start of a range
  for (bool first = true; !pattern.empty(); first = false) {
    const std::string_view member = Take(pattern);
    if (member == "]" && !first) return found != inverted;
    if (member == "-" && !before.empty() && !pattern.empty() && !pattern.starts_with(']')) {
      found = Between(character, before, Take(pattern)) || found;
      before = {};
    } else {
      found = member == character || found;
      before = first && member == "]" ? std::string_view() : member;
    }
  }
  return false;
}

// Takes one matching character from each; returns false if they do not match. Neither is empty.
bool TakeOne(std::string_view& text, std::string_view& pattern, const PatternRules& rules) {
  const std::string_view character = Take(text);
  std::string_view wanted = Take(pattern);
  if (!rules.escape.empty() && wanted == rules.escape) {
    if (pattern.empty()) return false;
    wanted = Take(pattern);
  } else if (wanted[0] == rules.one) {
    return true;
  } else if (rules.sets && wanted == "[") {
    return TakeSet(character, pattern);
  }
  return Same(character, wanted, rules.fold);
}

// Returns `text` from the first byte that a match of `pattern` may begin with; empty if there is none. A byte that
// begins a character is never in the middle of another.
std::string_view FromFirst(std::string_view text, std::string_view pattern, const PatternRules& rules) {
  if (pattern.empty()) return text;
  const char first = pattern[0];
  const bool continues = (first & 0xc0) == 0x80;
  const bool special = first == rules.any || first == rules.one || (rules.sets && first == '[');
  if (continues || special || rules.escape.starts_with(first)) return text;
  const bool letter = rules.fold && Folded(first) >= 'a' && Folded(first) <= 'z';
  const char other = letter ? static_cast<char>(first ^ 0x20) : first;
  size_t at = 0;
  while (at < text.size() && text[at] != first && text[at] != other) ++at;
  return text.substr(at);
}

}  // namespace

bool Matches(std::string_view text, std::string_view pattern, const PatternRules& rules,
             const std::function<bool()>& may_continue) {
  // The last wildcard for any number of characters: the pattern after it, and the text that it has not yet been tried
  // on. Earlier wildcards are never tried again: if one of them took more of the text, the last one could take it
  // instead.
  bool wild = false;
  std::string_view pattern_behind;
  std::string_view text_left;
  uint32_t steps = 0;
  for (;;) {
    if (++steps % kStepsPerQuestion == 0 && !may_continue()) return false;
    if (!pattern.empty() && pattern[0] == rules.any && rules.escape != pattern.substr(0, 1)) {
      pattern.remove_prefix(1);
      wild = true;
      pattern_behind = pattern;
      text = text_left = FromFirst(text, pattern, rules);
      if (pattern.empty()) return true;
      continue;
    }
    if (text.empty() && pattern.empty()) return true;
    if (!text.empty() && !pattern.empty() && TakeOne(text, pattern, rules)) continue;
    if (!wild || text_left.empty()) return false;
    Take(text_left);
    text = text_left = FromFirst(text_left, pattern_behind, rules);
    pattern = pattern_behind;
  }
}

}  // namespace ofindex
