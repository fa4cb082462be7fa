#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace ofindex {

/// What may stand in the place of an argument, or of an option's value.
enum class Completes {
  kNothing,
  kWords,     ///< one of OptionText::words
  kVerb,      ///< the name of a verb
  kIndex,     ///< an index, or DATA that have one
  kFile,      ///< a file or folder
  kFolder,    ///< a folder
  kColumn,    ///< a column of the index that the command line names
  kFeature,   ///< a feature of that index
  kFeatures,  ///< features of that index, separated by commas
};

/// An argument, option or flag, as its verb declares it.
struct OptionText {
  std::string names;                          ///< "-o,--output"; the name of an argument, such as "INDEX"
  std::string value = {};                     ///< the word that stands for its value, such as "DIR"; empty for a flag
  std::string help = {};                      ///< a sentence without its final stop
  std::vector<std::string> words = {};        ///< values to offer
  Completes completes = Completes::kNothing;  ///< if `value` is NAME=VALUE: what completes VALUE
  bool is_argument = false;
  bool is_required = false;
  bool may_begin_with_dash = false;  ///< of an argument that is SQL
  bool repeats = false;              ///< may be given several times
  bool is_common = false;            ///< of every verb

  /// Returns each of `names`: "-o" and "--output".
  [[nodiscard]] std::vector<std::string> NameList() const;

  /// Returns the longest of `names`.
  [[nodiscard]] std::string LongName() const { return NameList().back(); }
};

/// A command line that shows a verb at work, and what it does.
struct ExampleText {
  std::string command;
  std::string effect;
};

/// Some options of a verb, under a title.
struct OptionGroup {
  const char* title;
  std::vector<const OptionText*> options;
};

/// A verb: what help, man pages and completions say of it.
struct VerbText {
  std::string name;
  std::string summary;           ///< a phrase: "Read shards once and write their index"
  std::string description = {};  ///< paragraphs, separated by an empty line; may be empty
  std::vector<ExampleText> examples = {};
  std::deque<OptionText> options = {};  ///< in the order of the help; addresses are stable

  /// Returns the option that has `option` among its names, or null.
  [[nodiscard]] const OptionText* Find(std::string_view option) const;

  /// Returns a suggestion for the unknown option `word`, such as "did you mean '--to csv'?", for misspelt options and
  /// for those of other tools; empty if there is none.
  [[nodiscard]] std::string OptionMeantBy(const std::string& word) const;

  /// Returns its arguments, its own options, and those of every verb: each group that has any.
  [[nodiscard]] std::vector<OptionGroup> Groups() const;

  /// Returns the form of a command line: "ofindex get INDEX ORDINAL... [OPTIONS]".
  [[nodiscard]] std::string Usage(const std::string& program) const;
};

/// All that the command line can say: help, man pages and completions are made from it, so they agree. A value type.
struct CommandTable {
  std::string program;
  std::string summary;
  std::string version;
  std::vector<ExampleText> examples = {};
  std::deque<VerbText> verbs = {};  ///< addresses are stable

  /// Returns the verb called `name`, or null.
  [[nodiscard]] const VerbText* Find(const std::string& name) const;

  /// Returns the names of all verbs.
  [[nodiscard]] std::vector<std::string> VerbNames() const;

  /// Returns the names of the verbs that have `option` for themselves: "cat, get and sample"; empty if none has it.
  [[nodiscard]] std::string VerbsWith(std::string_view option) const;

  /// Returns what is said to a person who has called a verb by `word`, which is none: "did you mean 'sql'?", for
  /// misspelt verbs and for the words that other tools use. Empty if that is unknown.
  [[nodiscard]] std::string VerbMeantBy(const std::string& word) const;
};

/// An exit code, and when it is returned.
struct ExitCodeText {
  int code;
  const char* meaning;
};

/// Returns the exit codes of the command, ascending (base/result.h).
[[nodiscard]] const std::vector<ExitCodeText>& ExitCodes();

/// An environment variable that the command reads.
struct VariableText {
  const char* name;
  const char* meaning;
};
[[nodiscard]] const std::vector<VariableText>& Variables();

}  // namespace ofindex
