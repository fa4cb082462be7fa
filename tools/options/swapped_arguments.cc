#include "tools/options/swapped_arguments.h"

#include <algorithm>

#include "base/text.h"
#include "index/finding/missing_paths.h"
#include "index/finding/resolve_index.h"

namespace ofindex {
namespace {

// What cannot be resolved, such as the map of an index, has an error of its own.
bool NamesNothing(const std::string& argument) {
  const Result<std::optional<std::string>> index = FindIndex(argument);
  return index && !*index && !PathExists(argument);
}

// Data without an index are meant if `first` does not look like a path.
bool NamesDataset(const std::string& argument, const std::string& first) {
  const Result<std::optional<std::string>> index = FindIndex(argument);
  return index && (*index || (PathExists(argument) && first.find(' ') != std::string::npos));
}

}  // namespace

std::optional<Error> SwappedArguments(const CommandTable& table, const VerbText& verb,
                                      const std::vector<std::string>& arguments, std::vector<std::string> words) {
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
  if (const auto word = std::find(words.begin(), words.end(), *dataset); word != words.end()) words.erase(word);
  std::string command = StrCat(table.program, " ", verb.name, " ", ShellWord(*dataset));
  for (const std::string& word : words) command += StrCat(" ", ShellWord(word));
  return Error{ErrorCode::kUsage,
               StrCat("'", Printable(arguments[0]), "' is no index and no data, but '", Printable(*dataset),
                      "' is; expected INDEX first"),
               StrCat("run `", command, "`")};
}

}  // namespace ofindex
