#include "base/nearest_names.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace ofindex {
namespace {

constexpr size_t kMaxShown = 3;
constexpr size_t kMaxEdits = 8;

}  // namespace

// The algorithm of Wagner and Fischer, The String-to-String Correction Problem (1974), extended by swaps of adjacent
// bytes, which are then not edited again. Only the band is computed in which the distance can be at most `limit`.
size_t EditDistance(std::string_view a, std::string_view b, size_t limit) {
  if (a.size() > b.size()) std::swap(a, b);
  const size_t beyond = limit + 1;
  if (b.size() - a.size() > limit) return beyond;
  const auto same = [&](size_t i, size_t j) { return Folded(a[i]) == Folded(b[j]); };
  std::vector<size_t> above2(b.size() + 1, beyond);
  std::vector<size_t> above(b.size() + 1, beyond);
  std::vector<size_t> row(b.size() + 1, beyond);
  for (size_t j = 0; j <= std::min(b.size(), limit); ++j) above[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    const size_t first = i > limit ? i - limit : 0;
    const size_t last = std::min(b.size(), i + limit);
    if (first > 0) row[first - 1] = beyond;
    for (size_t j = first; j <= last; ++j) {
      size_t distance = above[j] + 1;
      if (j > 0) distance = std::min({distance, row[j - 1] + 1, above[j - 1] + (same(i - 1, j - 1) ? 0U : 1U)});
      const bool swapped = i > 1 && j > 1 && same(i - 1, j - 2) && same(i - 2, j - 1);
      if (swapped) distance = std::min(distance, above2[j - 2] + 1);
      row[j] = std::min(distance, beyond);
    }
    if (last < b.size()) row[last + 1] = beyond;
    std::swap(above2, above);
    std::swap(above, row);
  }
  return above[b.size()];
}

std::vector<std::string> NearestNames(std::string_view wrong, const std::vector<std::string>& names) {
  const size_t limit = std::min(kMaxEdits, std::max<size_t>(1, wrong.size() / 3));
  std::vector<std::pair<size_t, size_t>> near;  // distance, index
  for (size_t i = 0; i < names.size(); ++i) {
    const size_t distance = EditDistance(wrong, names[i], limit);
    if (distance <= limit) near.emplace_back(distance, i);
  }
  std::sort(near.begin(), near.end());
  std::vector<std::string> nearest;
  for (const auto& [distance, number] : near) {
    if (distance > near.front().first + 1) break;
    const bool shown = std::find(nearest.begin(), nearest.end(), names[number]) != nearest.end();
    if (!shown && nearest.size() < kMaxShown) nearest.push_back(names[number]);
  }
  return nearest;
}

std::string Quoted(std::string_view text, char quote) {
  std::string quoted(1, quote);
  for (const char c : text) quoted.append(c == quote ? 2 : 1, c);
  return quoted + quote;
}

std::string Enclosed(std::string_view name, std::string_view quote) {
  const std::string text = Printable(name);
  return quote == "\"" ? Quoted(text, '"') : StrCat(quote, text, quote);
}

std::string DidYouMean(const std::vector<std::string>& nearest, std::string_view quote) {
  std::string text;
  for (size_t i = 0; i < nearest.size(); ++i) {
    text += i == 0 ? "did you mean " : i + 1 < nearest.size() ? ", " : " or ";
    text += Enclosed(nearest[i], quote);
  }
  return text.empty() ? text : text + "?";
}

}  // namespace ofindex
