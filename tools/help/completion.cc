#include "tools/help/completion.h"

#include <algorithm>
#include <string_view>

#include "base/text.h"
#include "tools/help/index_names.h"

namespace ofindex {
namespace {

// A command line, up to the word that is completed.
struct ReadLine {
  const OptionText* open_option = nullptr;  // its value is the next word
  std::vector<std::string> arguments = {};
  std::vector<const OptionText*> given = {};
  bool options_ended = false;  // by `--`
};

// Reads one option, such as `--to=jsonl`, `-o`, or `-ofile`. The value of the last two may be the next word.
void ReadOption(const VerbText& verb, const std::string& word, ReadLine& line) {
  const size_t equals = word.find('=');
  const bool is_long = word.starts_with("--");
  const OptionText* option = verb.Find(is_long ? word.substr(0, equals) : word.substr(0, 2));
  if (option == nullptr) return;
  line.given.push_back(option);
  const bool has_value = is_long ? equals != std::string::npos : word.size() > 2;
  if (!option->value.empty() && !has_value) line.open_option = option;
}

ReadLine Read(const VerbText& verb, const std::vector<std::string>& words) {
  ReadLine line;
  for (const std::string& word : words) {
    if (line.open_option != nullptr) {
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

// Completes `begun`, a value of `option`; `before` precedes it in the same word, such as `--to=`.
Completion ValueOf(const CommandTable& table, const OptionText& option, const ReadLine& line, const std::string& begun,
                   const std::string& before) {
  const auto names = [&](NamesOf which) {
    std::vector<Completion::Candidate> found;
    if (line.arguments.empty()) return found;
    for (IndexName& name : NamesOfIndex(line.arguments.front(), which)) {
      found.push_back({std::move(name.text), std::move(name.note)});
    }
    return found;
  };
  switch (option.completes) {
    case Completes::kNothing: return {};
    case Completes::kWords: return WordsFrom(Plain(option.words), begun, before);
    case Completes::kVerb: return WordsFrom(Verbs(table), begun, before);
    case Completes::kFile: return {.kind = Completion::Kind::kFiles};
    case Completes::kFolder: return {.kind = Completion::Kind::kFolders};
    case Completes::kColumn: return WordsFrom(names(NamesOf::kColumns), begun, before);
    case Completes::kFeature: return WordsFrom(names(NamesOf::kFeatures), begun, before);
    case Completes::kFeatures: return FeaturesOfList(names(NamesOf::kFeatures), option, begun, before);
    case Completes::kIndex: break;
  }
  Completion paths = WordsFrom(Plain(IndexPathsFrom(begun)), begun, before);
  paths.kind = Completion::Kind::kPaths;
  return paths;
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
