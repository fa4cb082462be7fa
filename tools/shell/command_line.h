#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
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

/// An argument, option or flag of a verb, while it is declared. Valid while its CommandLine lives; copies stand for the
/// same one.
class Option {
 public:
  Option Required();

  /// Refuses an empty value. For names, since an unset variable in a script is empty.
  Option NotEmpty();

  /// Accepts these words alone.
  Option OneOf(const std::vector<std::string>& words);

  /// Accepts numbers from `least` to `most` alone. The type of the bounds decides how the value is read: if they are
  /// unsigned, -N is 2^64 - N, unless the option was added by AddNumber.
  Option Between(int least, int most);
  Option Between(uint64_t least, uint64_t most);

  /// Refuses this option together with any of `names`, which the verb declared before: "--json".
  Option Excludes(std::initializer_list<const char*> names);

  /// Refuses this option without option `name`, which the verb declared before.
  Option Needs(const char* name);

 private:
  friend class Verb;
  explicit Option(CLI::Option* option) : option_(option) {}

  CLI::Option* option_;
};

/// A verb of the command, while it is declared. Valid while its CommandLine lives, as every variable must be that it is
/// given: parsing writes to them. Help lists options in the order of these calls.
///
/// `names` is one name or two, "-o,--output"; `type` stands for the value in the help: "DIR".
class Verb {
 public:
  /// Adds an argument without a name of its own. A vector takes one or more, after Required(), otherwise any number.
  Option AddArgument(const char* name, std::string& value, const char* help);
  Option AddArgument(const char* name, std::vector<std::string>& values, const char* help);

  /// Adds an option with a value. A vector takes one value each time that the option is given; any other option may be
  /// given once. Value is std::string, double, unsigned or uint64_t, an optional of those, or a vector of strings.
  template <typename Value>
  Option AddOption(const char* names, Value& value, const char* type, const std::string& help);

  /// Adds an option for a number from 0 to 2^64 - 1 in digits alone. AddOption also reads signs, 010 and 0x10. Value is
  /// uint64_t or an optional of it.
  template <typename Value>
  Option AddNumber(const char* names, Value& value, const char* type, const std::string& help);

  /// Adds an option that takes `least` to `most` MiB and stores bytes.
  Option AddMebibytes(const char* names, uint64_t& bytes, uint64_t least, uint64_t most, const char* help);

  /// Adds an option that takes one of the words of `choices`, and stores the value next to it.
  template <typename Value>
  Option AddChoice(const char* names, Value& value, const std::vector<std::pair<std::string, Value>>& choices,
                   const char* type, const std::string& help) {
    return AddWord(names, WordsOf(choices), Storing(value, choices), type, help);
  }

  /// Adds the same, which also takes the index of a word in `choices`.
  template <typename Value>
  Option AddIndexedChoice(const char* names, Value& value, const std::vector<std::pair<std::string, Value>>& choices,
                          const char* type, const std::string& help) {
    return AddIndexedWord(names, WordsOf(choices), Storing(value, choices), type, help);
  }

  /// Adds a flag, or one that is counted: -vv is 2.
  Option AddFlag(const char* names, bool& given, const char* help);
  Option AddFlag(const char* names, int& times, const char* help);

  /// Adds --version.
  void AddVersion();

  /// Sets what CommandLine::Parse returns if the command line names this verb.
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

/// The command line: verbs and what they accept. The one place that knows CLI11.
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
  /// Errors: kUsage  the arguments are not those of a verb; the hint names the help to read
  [[nodiscard]] Result<VerbBody> Parse(int argc, char** argv);

 private:
  struct Parser;

  std::unique_ptr<Parser> parser_;
};

}  // namespace ofindex
