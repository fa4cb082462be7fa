#include "tools/options/spaced_list.h"

#include <algorithm>
#include <utility>

#include "base/nearest_names.h"
#include "base/text.h"
#include "index/finding/missing_paths.h"
#include "tools/options/argument_words.h"

namespace ofindex {
namespace {

bool TakesPaths(const VerbText& verb) {
  return std::any_of(verb.options.begin(), verb.options.end(), [](const OptionText& option) {
    return option.is_argument && option.repeats && option.completes == Completes::kFile;
  });
}

std::ptrdiff_t RequiredArguments(const VerbText& verb) {
  return std::count_if(verb.options.begin(), verb.options.end(),
                       [](const OptionText& option) { return option.is_argument && option.is_required; });
}

std::ptrdiff_t CountBelow(const std::vector<size_t>& ascending, size_t limit) {
  return std::lower_bound(ascending.begin(), ascending.end(), limit) - ascending.begin();
}

}  // namespace

std::optional<SpacedList> SpacedList::Find(const VerbText& verb, const std::vector<std::string>& words) {
  const std::vector<size_t> arguments = ArgumentPositions(verb, words);
  for (size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
    const size_t equals = words[i].starts_with("--") ? words[i].find('=') : std::string::npos;
    const OptionText* option = verb.Find(words[i].substr(0, equals));
    if (option == nullptr || option->completes != Completes::kFeatures) continue;
    if (CountBelow(arguments, i) < RequiredArguments(verb)) return std::nullopt;
    SpacedList list;
    list.option_ = words[i].substr(0, equals);
    if (equals == std::string::npos && ++i == words.size()) return std::nullopt;
    list.first_ = equals == std::string::npos ? words[i] : words[i].substr(equals + 1);
    while (++i < words.size() && !words[i].starts_with('-')) list.others_.push_back(words[i]);
    list.others_are_paths_ = TakesPaths(verb);
    if (!list.others_.empty()) return list;
  }
  return std::nullopt;
}

bool SpacedList::MayBeCauseOf(const Error& error) const {
  const auto is_named = [&](const std::string& word) {
    const std::string shown = Printable(word);
    return error.message.starts_with(shown + ":") || error.message.find(StrCat("'", shown, "'")) != std::string::npos;
  };
  if (std::any_of(others_.begin(), others_.end(), is_named)) return true;
  if (error.code != ErrorCode::kUsage) return false;
  return first_.ends_with(',') || (others_are_paths_ && std::none_of(others_.begin(), others_.end(), PathExists));
}

Error SpacedList::Explain(Error error) const {
  if (!MayBeCauseOf(error)) return error;
  std::string list = StrCat(option_, " ", first_);
  for (const std::string& word : others_) list += StrCat(list.ends_with(',') ? "" : ",", word);
  error.hint = DidYouMean({list}, "'");
  return error;
}

}  // namespace ofindex
