#include "tools/options/command_line.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <type_traits>

#include <CLI/CLI.hpp>

#include "base/nearest_names.h"
#include "base/text.h"
#include "tools/help/help_text.h"
#include "tools/options/dashed_words.h"
#include "tools/options/spaced_list.h"
#include "tools/options/swapped_arguments.h"
#include "tools/options/usage_error.h"
#include "tools/shell/output.h"

namespace ofindex {
namespace {

// Returns why `text` is not a whole number from `min` to `max`, or an empty string if it is one. CLI11 itself would
// accept "-1" and "010", and change their values.
std::string WhyNotFrom(uint64_t min, uint64_t max, const std::string& text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size() && (text == "0" || text[0] != '0');
  if (whole && value >= min && value <= max) return {};
  return StrCat("expected a number from ", min, " to ", max, ", got '", Printable(text), "'");
}

std::string WhyNotOneOf(const std::vector<std::string>& words, const std::string& text) {
  if (std::find(words.begin(), words.end(), text) != words.end()) return {};
  std::string list;
  for (const std::string& word : words) list += (list.empty() ? "" : ", ") + word;
  const std::string meant = text.size() < 2 ? "" : DidYouMean(NearestNames(text, words), "'");
  return StrCat("expected ", words.size() > 1 ? "one of " : "", list, ", got '", Printable(text), "'",
                meant.empty() ? "" : "; ", meant);
}

// CLI11 takes a word in brackets for a list, and splits it. So that such a word stays a path or a name, a mark is added
// to the end of words that begin with a bracket, and taken off their values.
std::string MarkedWord(std::string word) {
  if (word.starts_with('[')) word += kWordMark;
  return word;
}

CLI::Option* TakingMarkOff(CLI::Option* option) {
  const auto take_off = [](std::string& word) {
    if (word.starts_with('[') && word.ends_with(kWordMark)) word.pop_back();
    return std::string();
  };
  return option->transform(CLI::Validator(take_off, ""));
}

// What completes a value, if the word that stands for it says so.
Completes CompletionOf(std::string_view type) {
  if (const size_t equals = type.find('='); equals != std::string_view::npos)
    return CompletionOf(type.substr(equals + 1));
  if (type == "INDEX") return Completes::kIndex;
  if (type == "FILE" || type == "OUT" || type == "DATA" || type == "SOURCE") return Completes::kFile;
  if (type == "DIR") return Completes::kFolder;
  if (type == "COLUMN") return Completes::kColumn;
  if (type == "NAME,...") return Completes::kFeatures;
  return Completes::kNothing;
}

// Returns the option of `verb` with this name. CLI11's own search allocates in functions that must not throw, so it
// ends the process if memory is short.
CLI::Option* Named(CLI::App& verb, const char* name) {
  for (CLI::Option* option : verb.get_options({})) {
    if (option->check_name(name)) return option;
  }
  throw CLI::OptionNotFound(name);  // a bug: the verb has not declared it
}

}  // namespace

// The checks have no description: help names the type of a value, and says the rest in words.

Option Option::Required() {
  option_->required();
  text_->is_required = true;
  return *this;
}

Option Option::NotEmpty() {
  const auto check = [](const std::string& text) { return text.empty() ? "is empty; expected a name" : std::string(); };
  option_->check(CLI::Validator(check, ""));
  return *this;
}

Option Option::Completes(ofindex::Completes what) {
  text_->completes = what;
  return *this;
}

Option Option::Suggests(const std::vector<std::string>& words) {
  text_->words = words;
  return *this;
}

Option Option::OneOf(const std::vector<std::string>& words) {
  const auto check = [words](const std::string& text) { return WhyNotOneOf(words, text); };
  option_->check(CLI::Validator(check, ""));
  text_->words = words;
  text_->completes = Completes::kWords;
  return *this;
}

Option Option::Between(uint64_t min, uint64_t max) {
  const auto check = [min, max](const std::string& text) { return WhyNotFrom(min, max, text); };
  option_->check(CLI::Validator(check, ""));
  return *this;
}

Option Option::Excludes(std::initializer_list<const char*> names) {
  for (const char* name : names) option_->excludes(Named(*app_, name));
  return *this;
}

Option Option::MayBeginWithDash() {
  text_->may_begin_with_dash = true;
  return *this;
}

Option Option::Needs(const char* name) {
  option_->needs(Named(*app_, name));
  return *this;
}

Option Verb::Record(CLI::Option* option, OptionText text) {
  if (text.is_argument || !text.value.empty()) TakingMarkOff(option);
  return {app_, option, &text_->options.emplace_back(std::move(text))};
}

Option Verb::AddArgument(const char* name, std::string& value, const char* help) {
  return Record(app_->add_option(name, value, help),
                {.names = name, .help = help, .completes = CompletionOf(name), .is_argument = true});
}

Option Verb::AddArgument(const char* name, std::optional<std::string>& value, const char* help) {
  return Record(app_->add_option(name, value, help),
                {.names = name, .help = help, .completes = CompletionOf(name), .is_argument = true});
}

Option Verb::AddArgument(const char* name, std::vector<std::string>& values, const char* help) {
  return Record(app_->add_option(name, values, help),
                {.names = name, .help = help, .completes = CompletionOf(name), .is_argument = true, .repeats = true});
}

template <typename Value>
Option Verb::AddOption(const char* names, Value& value, const char* type, const std::string& help) {
  CLI::Option* option = app_->add_option(names, value, help)->type_name(type);
  constexpr bool kRepeats = std::is_same_v<Value, std::vector<std::string>>;
  // Each occurrence has one value: words after it are arguments.
  if constexpr (kRepeats) option->expected(1)->take_all()->allow_extra_args(false);
  return Record(option,
                {.names = names, .value = type, .help = help, .completes = CompletionOf(type), .repeats = kRepeats});
}

template Option Verb::AddOption(const char*, std::string&, const char*, const std::string&);
template Option Verb::AddOption(const char*, double&, const char*, const std::string&);
template Option Verb::AddOption(const char*, unsigned&, const char*, const std::string&);
template Option Verb::AddOption(const char*, uint64_t&, const char*, const std::string&);
template Option Verb::AddOption(const char*, std::optional<std::string>&, const char*, const std::string&);
template Option Verb::AddOption(const char*, std::optional<double>&, const char*, const std::string&);
template Option Verb::AddOption(const char*, std::optional<uint64_t>&, const char*, const std::string&);
template Option Verb::AddOption(const char*, std::vector<std::string>&, const char*, const std::string&);

template <typename Value>
Option Verb::AddNumber(const char* names, Value& value, const char* type, const std::string& help) {
  return AddOption(names, value, type, help).Between(0, UINT64_MAX);
}

template Option Verb::AddNumber(const char*, uint64_t&, const char*, const std::string&);
template Option Verb::AddNumber(const char*, std::optional<uint64_t>&, const char*, const std::string&);

Option Verb::AddMebibytes(const char* names, uint64_t& bytes, uint64_t min, uint64_t max, const char* help) {
  const std::function<void(const uint64_t&)> store = [&bytes](uint64_t mebibytes) { bytes = mebibytes << 20; };
  CLI::Option* option = app_->add_option_function(names, store, help)->type_name("MIB");
  return Record(option, {.names = names, .value = "MIB", .help = help}).Between(min, max);
}

Option Verb::AddWord(const char* names, const std::vector<std::string>& words, const TakeIndex& take, const char* type,
                     const std::string& help) {
  const std::function<void(const std::string&)> store = [words, take](const std::string& word) {
    take(static_cast<size_t>(std::find(words.begin(), words.end(), word) - words.begin()));
  };
  CLI::Option* option = app_->add_option_function(names, store, help)->type_name(type);
  return Record(option, {.names = names, .value = type, .help = help}).OneOf(words);
}

Option Verb::AddFlag(const char* names, bool& given, const char* help) {
  return Record(app_->add_flag(names, given, help)->disable_flag_override(), {.names = names, .help = help});
}

Option Verb::AddFlag(const char* names, int& times, const char* help) {
  return Record(app_->add_flag(names, times, help)->disable_flag_override(),
                {.names = names, .help = help, .repeats = true});
}

void Verb::EndCommonOptions() {
  // CLI11 itself adds --help, and inherits --version.
  text_->options.push_back({.names = "-h,--help", .help = "Print this help"});
  text_->options.push_back({.names = "--version", .help = "Print the version"});
  for (OptionText& option : text_->options) option.is_common = true;
}

void Verb::Runs(VerbBody body) {
  app_->callback([chosen = chosen_, body = std::move(body)] { *chosen = body; });
}

struct CommandLine::Parser {
  CommandTable table;
  CLI::App app;
  VerbBody chosen = {};

  [[nodiscard]] std::string Version() const { return StrCat(table.program, " ", table.version); }

  // Returns the words of a command line, SQL that begins with a dash last.
  [[nodiscard]] std::vector<std::string> Arranged(std::vector<std::string> words) const {
    const VerbText* verb = words.empty() ? nullptr : table.Find(words.front());
    const auto takes = [](const OptionText& option) { return option.may_begin_with_dash; };
    if (verb == nullptr || std::none_of(verb->options.begin(), verb->options.end(), takes)) return words;
    words = DashedLast(*verb, {words.begin() + 1, words.end()});
    words.insert(words.begin(), verb->name);
    return words;
  }

  // The verb that the command line names, or null.
  [[nodiscard]] const VerbText* Named() const {
    const std::vector<CLI::App*> named = app.get_subcommands();
    return named.empty() ? nullptr : table.Find(named.front()->get_name());
  }

  // Returns the arguments of the verb that the command line names, without its options.
  [[nodiscard]] std::vector<std::string> Arguments(const VerbText& verb) const {
    std::vector<std::string> all;
    for (const OptionText& option : verb.options) {
      if (!option.is_argument) continue;
      for (std::string word : app.get_subcommands().front()->get_option(option.names)->results()) {
        if (word.starts_with('[') && word.ends_with(kWordMark)) word.pop_back();
        all.push_back(std::move(word));
      }
    }
    return all;
  }

  // The body of the verb, which first checks that INDEX is where it belongs. Only then is the folder of --index-dir
  // known.
  [[nodiscard]] VerbBody Checked(std::vector<std::string> words) const {
    const VerbText* verb = Named();
    if (verb == nullptr) return chosen;
    return [this, verb, arguments = Arguments(*verb), words = std::move(words)]() -> Result<int> {
      if (std::optional<Error> swapped = SwappedArguments(table, *verb, arguments, words)) {
        return tl::unexpected(*std::move(swapped));
      }
      return chosen();
    };
  }

  // Parses the words after the name of the program; `typed` are those after the verb, as they were typed.
  [[nodiscard]] Result<VerbBody> Parse(std::vector<std::string> words, std::vector<std::string> typed);

  // The text of --help as a body, so that a failed write is an error as everywhere.
  [[nodiscard]] VerbBody Prints(std::string text) const {
    return [text = std::move(text)]() -> Result<int> {
      OFINDEX_TRY(Output::Standard().Write(text));
      return 0;
    };
  }
};

CommandLine::CommandLine(CommandTable about) : parser_(new Parser{.table = std::move(about), .app = CLI::App("", "")}) {
  parser_->app.set_version_flag("--version", parser_->Version());
  parser_->app.require_subcommand(1);
}

CommandLine::~CommandLine() = default;

const CommandTable& CommandLine::table() const { return parser_->table; }

std::string CommandLine::verb() const {
  const VerbText* named = parser_->Named();
  return named == nullptr ? std::string() : named->name;
}

Verb CommandLine::AddVerb(const char* name, const char* summary) {
  CLI::App* app = parser_->app.add_subcommand(name, summary);
  app->set_version_flag("--version", parser_->Version());
  VerbText& text = parser_->table.verbs.emplace_back(VerbText{.name = name, .summary = summary});
  return {app, &text, &parser_->chosen};
}

Result<VerbBody> CommandLine::Parse(int argc, char** argv) {
  std::vector<std::string> words = parser_->Arranged({argv + 1, argv + argc});
  const VerbText* verb = words.empty() ? nullptr : parser_->table.Find(words.front());
  const auto spaced = verb == nullptr ? std::nullopt : SpacedList::Find(*verb, {words.begin() + 1, words.end()});
  Result<VerbBody> parsed = parser_->Parse(std::move(words), {argv + std::min(argc, 2), argv + argc});
  if (!spaced) return parsed;
  if (!parsed) return tl::unexpected(spaced->Explain(std::move(parsed).error()));
  return VerbBody([body = *std::move(parsed), list = *spaced] {
    return body().map_error([&](Error error) { return list.Explain(std::move(error)); });
  });
}

Result<VerbBody> CommandLine::Parser::Parse(std::vector<std::string> words, std::vector<std::string> typed) {
  for (std::string& word : words) word = MarkedWord(std::move(word));
  std::reverse(words.begin(), words.end());  // as CLI11 takes them
  try {
    app.parse(std::move(words));
    return Checked(std::move(typed));
  } catch (const CLI::CallForHelp&) {
    const VerbText* verb = Named();
    return Prints(verb == nullptr ? HelpOfCommand(table, HelpWidth()) : HelpOfVerb(table, *verb, HelpWidth()));
  } catch (const CLI::CallForVersion&) {
    return Prints(Version() + "\n");
  } catch (const CLI::ParseError& error) {
    return tl::unexpected(UsageError(app, table, error));
  }
}

}  // namespace ofindex
