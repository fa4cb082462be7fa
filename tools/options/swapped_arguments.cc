#include "tools/options/swapped_arguments.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/text.h"
#include "index/finding/missing_paths.h"
#include "index/finding/resolve_index.h"
#include "index/shards/output_rule.h"
#include "tools/options/argument_words.h"

namespace ofindex {
namespace {

// What cannot be resolved, such as the map of an index, has an error of its own.
bool NamesNothing(const std::string& argument) {
  const Result<std::optional<std::string>> index = FindIndex(argument);
  return index && !*index && !PathExists(argument);
}

// Data without an index are meant if `first` does not look like a path, not even like a misspelt one.
bool NamesDataset(const std::string& argument, const std::string& first) {
  const Result<std::optional<std::string>> index = FindIndex(argument);
  if (!index || *index) return index.has_value();
  if (!PathExists(argument) || first.find(' ') == std::string::npos || !NearestPaths(first).empty()) return false;
  std::error_code error;
  return std::filesystem::is_directory(argument, error) || IsShard(argument).value_or(false);
}

// Returns the command line `words` of `verb` with its argument `dataset` first.
std::string InOrder(const CommandTable& table, const VerbText& verb, std::vector<std::string> words,
                    const std::string& dataset) {
  for (size_t i = words.size(); i-- > 0;) {
    const bool is_value = i > 0 && TakesNextWord(verb, words[i - 1]);
    if (words[i] != dataset || is_value) continue;
    words.erase(words.begin() + static_cast<std::ptrdiff_t>(i));
    break;
  }
  if (!words.empty() && words.back() == "--") words.pop_back();
  std::string command = StrCat(table.program, " ", verb.name, " ", PathWord(dataset, "INDEX"));
  for (const std::string& word : words) command += StrCat(" ", ShellWord(word));
  return command;
}

}  // namespace

std::optional<Error> SwappedArguments(const CommandTable& table, const VerbText& verb,
                                      const std::vector<std::string>& arguments,
                                      const std::vector<std::string>& words) {
  const auto argument = std::find_if(verb.options.begin(), verb.options.end(),
                                     [](const OptionText& option) { return option.is_argument; });
  const bool takes_data = std::any_of(verb.options.begin(), verb.options.end(), [](const OptionText& option) {
    return option.is_argument && option.names == "DATA";
  });
  const bool takes_index = argument != verb.options.end() && argument->names == "INDEX" && !argument->repeats;
  if (!takes_index || takes_data || arguments.size() < 2 || !NamesNothing(arguments[0])) return std::nullopt;
  const auto dataset = std::find_if(arguments.begin() + 1, arguments.end(),
                                    [&](const std::string& one) { return NamesDataset(one, arguments[0]); });
  if (dataset == arguments.end()) return std::nullopt;
  return Error{ErrorCode::kUsage,
               StrCat("'", Printable(arguments[0]), "' is no index and no data, but '", Printable(*dataset),
                      "' is; expected INDEX first"),
               StrCat("run `", InOrder(table, verb, words, *dataset), "`")};
}

}  // namespace ofindex
