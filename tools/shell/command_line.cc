#include "tools/shell/command_line.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <type_traits>

#include <CLI/CLI.hpp>

#include "base/text.h"

namespace ofindex {
namespace {

// Returns why `text` is not a whole number, or an empty string if it is one. CLI11 itself would accept "-1" and "010",
// and change their values.
std::string WholeNumber(const std::string& text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size() && (text == "0" || text[0] != '0');
  return whole ? std::string() : StrCat("'", Printable(text), "' is not a number from 0 to ", UINT64_MAX);
}

// Returns the name of the verb that the command line names, after a space, or an empty string.
std::string VerbOf(const CLI::App& app) {
  std::string verb;
  for (const CLI::App* sub : app.get_subcommands()) verb = " " + sub->get_name();
  return verb;
}

Error UsageError(const CLI::App& app, const CLI::ParseError& error) {
  const std::string verb = VerbOf(app);
  const std::vector<std::string> unknown = app.remaining();
  // CLI11 reports an unknown word as "a subcommand is required".
  std::string message =
      verb.empty() && !unknown.empty() ? StrCat("there is no verb '", Printable(unknown.front()), "'") : error.what();
  return {ErrorCode::kUsage, std::move(message), "see `ofindex" + verb + " --help`"};
}

}  // namespace

// The checks have no description: help names the type of a value, and says the rest in words.

Option Option::Required() {
  option_->required();
  return *this;
}

Option Option::NotEmpty() {
  const auto check = [](const std::string& text) { return text.empty() ? "is empty; expected a name" : std::string(); };
  option_->check(CLI::Validator(check, ""));
  return *this;
}

Option Option::OneOf(const std::vector<std::string>& words) {
  option_->check(CLI::IsMember(words).description(""));
  return *this;
}

Option Option::Between(int min, int max) {
  option_->check(CLI::Range(min, max).description(""));
  return *this;
}

Option Option::Between(uint64_t min, uint64_t max) {
  option_->check(CLI::Range(min, max).description(""));
  return *this;
}

Option Option::Excludes(std::initializer_list<const char*> names) {
  for (const char* name : names) option_->excludes(name);
  return *this;
}

Option Option::Needs(const char* name) {
  option_->needs(name);
  return *this;
}

Option Verb::AddArgument(const char* name, std::string& value, const char* help) {
  return Option(app_->add_option(name, value, help));
}

Option Verb::AddArgument(const char* name, std::optional<std::string>& value, const char* help) {
  return Option(app_->add_option(name, value, help));
}

Option Verb::AddArgument(const char* name, std::vector<std::string>& values, const char* help) {
  return Option(app_->add_option(name, values, help));
}

template <typename Value>
Option Verb::AddOption(const char* names, Value& value, const char* type, const std::string& help) {
  CLI::Option* option = app_->add_option(names, value, help)->type_name(type);
  if constexpr (std::is_same_v<Value, std::vector<std::string>>) option->expected(1)->take_all();
  return Option(option);
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
  return Option(app_->add_option(names, value, help)->check(CLI::Validator(WholeNumber, ""))->type_name(type));
}

template Option Verb::AddNumber(const char*, uint64_t&, const char*, const std::string&);
template Option Verb::AddNumber(const char*, std::optional<uint64_t>&, const char*, const std::string&);

Option Verb::AddMebibytes(const char* names, uint64_t& bytes, uint64_t min, uint64_t max, const char* help) {
  const std::function<void(const uint64_t&)> store = [&bytes](uint64_t mebibytes) { bytes = mebibytes << 20; };
  CLI::Option* option = app_->add_option_function(names, store, help)->type_name("MIB");
  return Option(option->check(CLI::Validator(WholeNumber, ""))).Between(min, max);
}

Option Verb::AddWord(const char* names, const std::vector<std::string>& words, const TakeIndex& take, const char* type,
                     const std::string& help) {
  const std::function<void(const std::string&)> store = [words, take](const std::string& word) {
    take(static_cast<size_t>(std::find(words.begin(), words.end(), word) - words.begin()));
  };
  return Option(app_->add_option_function(names, store, help)->type_name(type)).OneOf(words);
}

Option Verb::AddIndexedWord(const char* names, const std::vector<std::string>& words, const TakeIndex& take,
                            const char* type, const std::string& help) {
  std::map<std::string, size_t> indices;
  for (size_t i = 0; i < words.size(); ++i) indices.emplace(words[i], i);
  const std::function<void(const size_t&)> store = take;
  CLI::Option* option = app_->add_option_function(names, store, help)->type_name(type);
  return Option(option->transform(CLI::CheckedTransformer(indices).description("")));
}

Option Verb::AddFlag(const char* names, bool& given, const char* help) {
  return Option(app_->add_flag(names, given, help));
}

Option Verb::AddFlag(const char* names, int& times, const char* help) {
  return Option(app_->add_flag(names, times, help));
}

void Verb::AddVersion() { app_->set_version_flag("--version", version_); }

void Verb::Runs(VerbBody body) {
  app_->callback([chosen = chosen_, body = std::move(body)] { *chosen = body; });
}

struct CommandLine::Parser {
  CLI::App app;
  const char* version;
  VerbBody chosen = {};
};

CommandLine::CommandLine(const char* program, const char* help, const char* version)
    : parser_(new Parser{.app = CLI::App(help, program), .version = version}) {
  parser_->app.set_version_flag("--version", version);
  parser_->app.require_subcommand(1);
}

CommandLine::~CommandLine() = default;

Verb CommandLine::AddVerb(const char* name, const char* help) {
  return {parser_->app.add_subcommand(name, help), parser_->version, &parser_->chosen};
}

Result<VerbBody> CommandLine::Parse(int argc, char** argv) {
  try {
    parser_->app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) return tl::unexpected(UsageError(parser_->app, error));
    parser_->app.exit(error);  // prints help or version
    return VerbBody([] { return 0; });
  }
  return parser_->chosen;
}

}  // namespace ofindex
