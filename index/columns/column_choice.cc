#include "index/columns/column_choice.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

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
  if (text.size() > kMaxText) {
    return Fail(
        ErrorCode::kLimit,
        StrCat("columns: ", FormatCount(text.size()), " bytes of names; expected at most ", FormatCount(kMaxText)),
        "name fewer columns");
  }
  if (choice.mode == Mode::kNone) return choice;
  choice.names = SplitNames(std::string_view(text).substr(added ? kAutoAnd.size() : 0));
  if (std::find(choice.names.begin(), choice.names.end(), "") != choice.names.end()) {
    return Fail(ErrorCode::kUsage, "columns: an empty name; expected auto, none, or comma-separated names");
  }
  std::sort(choice.names.begin(), choice.names.end());
  choice.names.erase(std::unique(choice.names.begin(), choice.names.end()), choice.names.end());
  return choice;
}

Result<ColumnChoice> ColumnChoice::Parse(const std::string& text, const std::string& derived) {
  OFINDEX_ASSIGN(ColumnChoice choice, Parse(text));
  std::optional<Derivations> derivations = Derivations::ParseText(derived);
  if (!derivations) {
    return Fail(ErrorCode::kIndex, StrCat("derive: '", Printable(derived), "'; expected what a build stores"),
                "rebuild the index with `ofindex build --force`");
  }
  choice.derived = *std::move(derivations);
  return choice;
}

std::string ColumnChoice::Text() const {
  if (mode == Mode::kNone) return "none";
  std::string text = mode == Mode::kAuto ? "auto" : "";
  for (const std::string& name : names) {
    if (!text.empty()) text += ',';
    const bool is_word = name == "auto" || (name == "none" && names.size() == 1);
    if (is_word && text.empty()) text += '\\';
    text += EscapedName(name);
  }
  return text;
}

bool ColumnChoice::Named(const std::string& name) const { return std::binary_search(names.begin(), names.end(), name); }

std::vector<std::string> ColumnChoice::Kept() const {
  const std::vector<std::string> derives = derived.Features();
  std::vector<std::string> kept;
  std::set_union(names.begin(), names.end(), derives.begin(), derives.end(), std::back_inserter(kept));
  return kept;
}

}  // namespace ofindex
