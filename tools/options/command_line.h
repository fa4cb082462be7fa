#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "tools/help/command_table.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace ofindex {

/// Runs a verb after its command line was parsed. Returns the exit code of a completed run: 0, 1 if the answer is no,
/// or 3 if the data are damaged.
using VerbBody = std::function<Result<int>()>;

/// An argument, option or flag that a verb declares. A handle: copies refer to the same option. Valid while its
/// CommandLine lives.
class Option {
 public:
  /// Refuses command lines without it.
  Option Required();

  /// Refuses an empty value. For names, since an unset variable in a script is empty.
  Option NotEmpty();

  /// Says what completes its value, where the word for the value does not say so: see Verb.
  Option Completes(ofindex::Completes what);

  /// Offers these words as completions, besides what else completes its value; others are accepted, too.
  Option Suggests(const std::vector<std::string>& words);

  /// Accepts only these words.
  Option OneOf(const std::vector<std::string>& words);

  /// Accepts only whole numbers from `min` to `max`, without sign, leading zeros or base prefix.
  Option Between(uint64_t min, uint64_t max);

  /// Refuses this option together with any of `names`, such as "--json". The verb must have declared them.
  Option Excludes(std::initializer_list<const char*> names);

  /// Takes a word that begins with a dash and is none of the verb's options for this argument, the verb's last one.
  /// Words that are no SQL are refused as unknown options: `--colunm`, `-x`.
  Option MayBeginWithDash();

  /// Refuses this option without the option `name`. The verb must have declared it.
  Option Needs(const char* name);

 private:
  friend class Verb;
  Option(CLI::App* app, CLI::Option* option, OptionText* text) : app_(app), option_(option), text_(text) {}

  CLI::App* app_;  // the verb
  CLI::Option* option_;
  OptionText* text_;
};

/// A verb being declared. A handle, valid while its CommandLine lives. Parsing writes to the variables passed to it, so
/// they must live until then; those of options that are not given keep their values. Help lists options in the order in
/// which they were added.
///
/// `names` is one name or two: "-o,--output". `type` stands for the value in the help, and decides what completes it:
/// INDEX, FILE, DIR, COLUMN and NAME,... (features) do.
class Verb {
 public:
  /// Sets what help says beyond the phrase given to AddVerb: paragraphs, separated by empty lines.
  void Describe(std::string description) { text_->description = std::move(description); }

  /// Adds an example to the help: a command line, and what it does.
  void AddExample(std::string command, std::string effect) {
    text_->examples.push_back({std::move(command), std::move(effect)});
  }

  /// Adds a positional argument. A vector takes any number of words; if Required(), at least one.
  Option AddArgument(const char* name, std::string& value, const char* help);
  Option AddArgument(const char* name, std::optional<std::string>& value, const char* help);
  Option AddArgument(const char* name, std::vector<std::string>& values, const char* help);

  /// Adds an option with a value. It may be given once; if `value` is a vector, any number of times with one value
  /// each. Value is one of the types for which command_line.cc instantiates this template: a string, a number, an
  /// optional string or number, or a vector of strings.
  template <typename Value>
  Option AddOption(const char* names, Value& value, const char* type, const std::string& help);

  /// Adds an option for a number from 0 to 2^64 - 1 without sign, leading zeros or base prefix, all of which AddOption
  /// accepts. Value is uint64_t or an optional of it.
  template <typename Value>
  Option AddNumber(const char* names, Value& value, const char* type, const std::string& help);

  /// Adds an option that takes `min` to `max` MiB and stores bytes.
  Option AddMebibytes(const char* names, uint64_t& bytes, uint64_t min, uint64_t max, const char* help);

  /// Adds an option that takes one of the words of `choices`, and stores the value paired with it.
  template <typename Value>
  Option AddChoice(const char* names, Value& value, const std::vector<std::pair<std::string, Value>>& choices,
                   const char* type, const std::string& help) {
    return AddWord(names, WordsOf(choices), Storing(value, choices), type, help);
  }

  /// Adds a flag. An int counts how often it is given: -vv is 2.
  Option AddFlag(const char* names, bool& given, const char* help);
  Option AddFlag(const char* names, int& times, const char* help);

  /// Marks all options added so far, and --help and --version, which it adds, as those of every verb.
  void EndCommonOptions();

  /// Sets the body that CommandLine::Parse returns if the command line names this verb.
  void Runs(VerbBody body);

 private:
  friend class CommandLine;
  using TakeIndex = std::function<void(size_t)>;

  Verb(CLI::App* app, VerbText* text, VerbBody* chosen) : app_(app), text_(text), chosen_(chosen) {}

  template <typename Value>
  static std::vector<std::string> WordsOf(const std::vector<std::pair<std::string, Value>>& choices) {
    std::vector<std::string> words;
    for (const auto& [word, value] : choices) words.push_back(word);
    return words;
  }

  template <typename Value>
  static TakeIndex Storing(Value& value, const std::vector<std::pair<std::string, Value>>& choices) {
    return [&value, choices](size_t index) { value = choices[index].second; };
  }

  Option AddWord(const char* names, const std::vector<std::string>& words, const TakeIndex& take, const char* type,
                 const std::string& help);
  Option Record(CLI::Option* option, OptionText text);

  CLI::App* app_;
  VerbText* text_;
  VerbBody* chosen_;
};

/// The command line: its verbs, and the arguments and options of each. Wraps CLI11. Not thread-safe.
class CommandLine {
 public:
  /// `about` says what the command is, its verbs and their options are still missing.
  explicit CommandLine(CommandTable about);
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  /// Adds a verb; `summary` is a phrase without a final stop.
  Verb AddVerb(const char* name, const char* summary);

  /// All that was declared. Valid while this object lives.
  [[nodiscard]] const CommandTable& table() const;

  /// Parses the arguments of main(), writes the variables of the options, and returns the body of the verb named.
  /// --help and --version return a body that prints their text. Call it once.
  ///
  /// Errors: kUsage if the arguments are not those of a verb; the hint says what was meant, or names the help to read.
  [[nodiscard]] Result<VerbBody> Parse(int argc, char** argv);

  /// Returns the name of the verb that was parsed; empty if there was none.
  [[nodiscard]] std::string verb() const;

 private:
  struct Parser;

  std::unique_ptr<Parser> parser_;
};

}  // namespace ofindex
