#include "tools/help/completion.h"

#include <algorithm>
#include <string_view>

#include "base/text.h"
#include "tools/help/first_records.h"
#include "tools/help/index_names.h"

namespace ofindex {
namespace {

// A command line, up to the word that is completed.
struct ReadLine {
  const OptionText* open_option = nullptr;  // its value is the next word
  std::vector<std::string> arguments = {};
  std::vector<const OptionText*> given = {};
  std::string index_folder = {};  // the value of --index-dir
  bool options_ended = false;     // by `--`
};

void TakeValue(const OptionText& option, const std::string& value, ReadLine& line) {
  if (option.LongName() == "--index-dir") line.index_folder = value;
}

// Reads one option, such as `--to=jsonl`, `-o`, or `-ofile`. The value of the last two may be the next word.
void ReadOption(const VerbText& verb, const std::string& word, ReadLine& line) {
  const size_t equals = word.find('=');
  const bool is_long = word.starts_with("--");
  const OptionText* option = verb.Find(is_long ? word.substr(0, equals) : word.substr(0, 2));
  if (option == nullptr) return;
  line.given.push_back(option);
  const bool has_value = is_long ? equals != std::string::npos : word.size() > 2;
  if (option->value.empty()) return;
  if (has_value) {
    TakeValue(*option, word.substr(is_long ? equals + 1 : 2), line);
  } else {
    line.open_option = option;
  }
}

ReadLine Read(const VerbText& verb, const std::vector<std::string>& words) {
  ReadLine line;
  for (const std::string& word : words) {
    if (line.open_option != nullptr) {
      TakeValue(*line.open_option, word, line);
      line.open_option = nullptr;
    } else if (!line.options_ended && word == "--") {
      line.options_ended = true;
    } else if (!line.options_ended && word.size() > 1 && word[0] == '-') {
      ReadOption(verb, word, line);
    } else {
      line.arguments.push_back(word);
    }
  }
  return line;
}

// Keeps the names that begin with `begun`, behind `before`, the part of the word that stays.
Completion WordsFrom(const std::vector<Completion::Candidate>& names, const std::string& begun,
                     const std::string& before) {
  Completion completion;
  for (const Completion::Candidate& name : names) {
    if (name.text.starts_with(begun)) completion.candidates.push_back({before + name.text, name.note});
  }
  return completion;
}

// Returns the position of the last comma that separates names: none after a backslash.
size_t LastComma(const std::string& list) {
  size_t last = std::string::npos;
  for (size_t i = 0; i < list.size(); ++i) {
    if (list[i] == '\\') {
      ++i;
    } else if (list[i] == ',') {
      last = i;
    }
  }
  return last;
}

Completion FeaturesOfList(const std::vector<Completion::Candidate>& features, const OptionText& option,
                          const std::string& begun, const std::string& before) {
  const size_t comma = LastComma(begun);
  const std::string kept = comma == std::string::npos ? "" : begun.substr(0, comma + 1);
  std::vector<Completion::Candidate> names;
  for (const std::string& word : option.words) {
    if (kept.empty()) names.push_back({word, "a choice of features"});
  }
  for (const Completion::Candidate& feature : features) {
    const std::string escaped = EscapedFeature(feature.text);
    if (("," + kept).find("," + escaped + ",") == std::string::npos) names.push_back({escaped, feature.note});
  }
  Completion completion = WordsFrom(names, begun.substr(kept.size()), before + kept);
  completion.goes_on = true;
  return completion;
}

std::vector<Completion::Candidate> Plain(const std::vector<std::string>& words) {
  std::vector<Completion::Candidate> names;
  for (const std::string& word : words) names.push_back({word});
  return names;
}

std::vector<Completion::Candidate> Verbs(const CommandTable& table) {
  std::vector<Completion::Candidate> names;
  for (const VerbText& verb : table.verbs) names.push_back({verb.name, verb.summary});
  return names;
}

// Returns the names in the index of the first argument, or the features of its first records if it has no index.
std::vector<Completion::Candidate> NamesFor(const ReadLine& line, NamesOf which) {
  if (line.arguments.empty()) return {};
  const std::string& data = line.arguments.front();
  std::vector<IndexName> names = NamesOfIndex(data, line.index_folder, which);
  if (names.empty() && which == NamesOf::kFeatures) names = FeaturesOfFirstRecords(data);
  std::vector<Completion::Candidate> found;
  for (IndexName& name : names) found.push_back({std::move(name.text), std::move(name.note)});
  return found;
}

Completion PathsFor(PathsOf which, const std::string& begun, const std::string& before) {
  Completion paths = WordsFrom(Plain(PathsFrom(begun, which)), begun, before);
  paths.kind = Completion::Kind::kPaths;
  return paths;
}

// Completes `begun`, a value of `option`; `before` precedes it in the same word, such as `--to=`. The shells list
// files themselves, but only for whole words.
Completion OneValueOf(const CommandTable& table, const OptionText& option, const ReadLine& line,
                      const std::string& begun, const std::string& before) {
  switch (option.completes) {
    case Completes::kNothing: return {};
    case Completes::kWords: return WordsFrom(Plain(option.words), begun, before);
    case Completes::kVerb: return WordsFrom(Verbs(table), begun, before);
    case Completes::kFile:
      if (before.empty()) return {.kind = Completion::Kind::kFiles};
      return PathsFor(PathsOf::kFiles, begun, before);
    case Completes::kFolder:
      if (before.empty()) return {.kind = Completion::Kind::kFolders};
      return PathsFor(PathsOf::kFolders, begun, before);
    case Completes::kColumn: return WordsFrom(NamesFor(line, NamesOf::kColumns), begun, before);
    case Completes::kFeature: return WordsFrom(NamesFor(line, NamesOf::kFeatures), begun, before);
    case Completes::kFeatures: return FeaturesOfList(NamesFor(line, NamesOf::kFeatures), option, begun, before);
    case Completes::kIndex: break;
  }
  return PathsFor(PathsOf::kIndexes, begun, before);
}

// Does the same for values such as NAME=FILE, too. The user invents the name.
Completion ValueOf(const CommandTable& table, const OptionText& option, const ReadLine& line, const std::string& begun,
                   const std::string& before) {
  if (option.value.find('=') == std::string::npos) return OneValueOf(table, option, line, begun, before);
  const size_t equals = begun.find('=');
  if (equals == std::string::npos) return {};
  return OneValueOf(table, option, line, begun.substr(equals + 1), before + begun.substr(0, equals + 1));
}

// The first part of the help, which says what the option is for.
std::string NoteOf(const OptionText& option) {
  std::string note = option.help.substr(0, option.help.find_first_of(";:("));
  while (note.ends_with(' ')) note.pop_back();
  return note;
}

Completion OptionsFrom(const VerbText& verb, const ReadLine& line, const std::string& begun) {
  std::vector<Completion::Candidate> names;
  for (const OptionText& option : verb.options) {
    const bool given = std::find(line.given.begin(), line.given.end(), &option) != line.given.end();
    if (!option.is_argument && (!given || option.repeats)) names.push_back({option.LongName(), NoteOf(option)});
  }
  return WordsFrom(names, begun, "");
}

// The argument of `verb` that the next word would be, or null.
const OptionText* NextArgument(const VerbText& verb, size_t number) {
  const OptionText* last = nullptr;
  for (const OptionText& option : verb.options) {
    if (!option.is_argument) continue;
    if (number-- == 0) return &option;
    last = option.repeats ? &option : nullptr;
  }
  return last;
}

}  // namespace

Completion Complete(const CommandTable& table, const std::vector<std::string>& words) {
  const std::string word = words.empty() ? "" : words.back();
  if (words.size() < 2) {
    return word.starts_with('-') ? WordsFrom(Plain({"--help", "--version"}), word, "")
                                 : WordsFrom(Verbs(table), word, "");
  }
  const VerbText* verb = table.Find(words.front());
  if (verb == nullptr) return {};
  const ReadLine line = Read(*verb, {words.begin() + 1, words.end() - 1});
  if (line.open_option != nullptr) return ValueOf(table, *line.open_option, line, word, "");
  if (!line.options_ended && word.starts_with('-')) {
    const size_t equals = word.find('=');
    const OptionText* option = equals == std::string::npos ? nullptr : verb->Find(word.substr(0, equals));
    if (option == nullptr) return OptionsFrom(*verb, line, word);
    return ValueOf(table, *option, line, word.substr(equals + 1), word.substr(0, equals + 1));
  }
  const OptionText* argument = NextArgument(*verb, line.arguments.size());
  return argument == nullptr ? Completion() : ValueOf(table, *argument, line, word, "");
}

std::string AnswerOf(const Completion& completion) {
  std::string answer;
  switch (completion.kind) {
    case Completion::Kind::kWords: answer = "words"; break;
    case Completion::Kind::kPaths: answer = "paths"; break;
    case Completion::Kind::kFiles: answer = "files"; break;
    case Completion::Kind::kFolders: answer = "folders"; break;
  }
  answer += completion.goes_on ? " +\n" : "\n";
  for (const Completion::Candidate& candidate : completion.candidates) {
    if (Printable(candidate.text) != candidate.text) continue;
    answer += StrCat(candidate.text, "\t", Printable(candidate.note), "\n");
  }
  return answer;
}

}  // namespace ofindex
