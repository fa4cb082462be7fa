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

  /// Accepts only these words.
  Option OneOf(const std::vector<std::string>& words);

  /// Accepts only numbers from `min` to `max`. The value is parsed as a number of their type: as uint64_t, -N is
  /// 2^64 - N. Options added with AddNumber accept no sign at all.
  Option Between(int min, int max);
  Option Between(uint64_t min, uint64_t max);

  /// Refuses this option together with any of `names`, such as "--json". The verb must have declared them.
  Option Excludes(std::initializer_list<const char*> names);

  /// Refuses this option without the option `name`. The verb must have declared it.
  Option Needs(const char* name);

 private:
  friend class Verb;
  explicit Option(CLI::Option* option) : option_(option) {}

  CLI::Option* option_;
};

/// A verb being declared. A handle, valid while its CommandLine lives. Parsing writes to the variables passed to it, so
/// they must live until then; those of options that are not given keep their values. Help lists options in the order in
/// which they were added.
///
/// `names` is one name or two: "-o,--output". `type` stands for the value in the help: "DIR".
class Verb {
 public:
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

  /// Adds the same, but also accepts the index of a word in `choices`.
  template <typename Value>
  Option AddIndexedChoice(const char* names, Value& value, const std::vector<std::pair<std::string, Value>>& choices,
                          const char* type, const std::string& help) {
    return AddIndexedWord(names, WordsOf(choices), Storing(value, choices), type, help);
  }

  /// Adds a flag. An int counts how often it is given: -vv is 2.
  Option AddFlag(const char* names, bool& given, const char* help);
  Option AddFlag(const char* names, int& times, const char* help);

  /// Adds --version.
  void AddVersion();

  /// Sets the body that CommandLine::Parse returns if the command line names this verb.
  void Runs(VerbBody body);

 private:
  friend class CommandLine;
  using TakeIndex = std::function<void(size_t)>;

  Verb(CLI::App* app, const char* version, VerbBody* chosen) : app_(app), version_(version), chosen_(chosen) {}

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
  Option AddIndexedWord(const char* names, const std::vector<std::string>& words, const TakeIndex& take,
                        const char* type, const std::string& help);

  CLI::App* app_;
  const char* version_;
  VerbBody* chosen_;
};

/// The command line: its verbs, and the arguments and options of each. Wraps CLI11. Not thread-safe.
class CommandLine {
 public:
  /// `help` begins the text of --help, and --version prints `version`. Both must outlive this object.
  CommandLine(const char* program, const char* help, const char* version);
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  Verb AddVerb(const char* name, const char* help);

  /// Parses the arguments of main(), writes the variables of the options, and returns the body of the verb named.
  /// --help and --version print their text and return a body that does nothing. Call it once.
  ///
  /// Errors: kUsage if the arguments are not those of a verb; the hint names the help to read.
  [[nodiscard]] Result<VerbBody> Parse(int argc, char** argv);

 private:
  struct Parser;

  std::unique_ptr<Parser> parser_;
};

}  // namespace ofindex
