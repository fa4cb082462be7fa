#include "tools/options/usage_error.h"

#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/text.h"
#include "tools/help/other_ways.h"

namespace ofindex {
namespace {

// What is said about a wrong command line; without a hint, it is to read the help.
struct Complaint {
  std::string message;
  std::string hint = {};
};

// Returns a word of the command line to show.
std::string Shown(std::string word) {
  if (word.ends_with(kWordMark)) word.pop_back();
  return Printable(word);
}

Complaint NoVerb(const CLI::App& app, const CommandTable& table) {
  const std::vector<std::string> words = app.remaining();
  if (words.empty()) return {StrCat("the verb is missing; usage: ", table.program, " VERB [ARGUMENTS] [OPTIONS]")};
  return {StrCat("there is no verb '", Shown(words.front()), "'"), table.VerbMeantBy(words.front())};
}

// Returns the part of `text` before the first `mark`.
std::string_view Before(std::string_view text, std::string_view mark) { return text.substr(0, text.find(mark)); }

// Returns what to do instead of giving `verb` the option `name`, which it lacks; empty if that is unknown.
std::string InsteadOf(const std::string& name, const CommandTable& table, const VerbText& verb) {
  if (std::string meant = verb.OptionMeantBy(name); !meant.empty()) return meant;
  if (std::string way = OtherWay(verb.name, name); !way.empty()) return way;
  const std::string others = name.starts_with("--") ? table.VerbsWith(name) : std::string();
  const std::string first = others.substr(0, others.find_first_of(", "));
  return others.empty() ? others
                        : StrCat("it is an option of ", others, "; see `", table.program, " ", first, " --help`");
}

Complaint Surplus(const CLI::App& app, const CommandTable& table, const VerbText& verb) {
  if (const std::vector<std::string> before = app.remaining(); !before.empty()) {
    return {StrCat("'", Shown(before.front()), "' stands before the verb; usage: ", verb.Usage(table.program))};
  }
  const std::string word = app.get_subcommands().front()->remaining().front();
  if (!word.starts_with('-') || word == "-") {
    return {StrCat("'", Shown(word), "' was not expected; usage: ", verb.Usage(table.program))};
  }
  const std::string name = word.substr(0, word.find('='));
  return {StrCat(verb.name, " has no option '", Shown(name == "-" ? word : name), "'"), InsteadOf(name, table, verb)};
}

// "--to: expected tfrecord2idx, got 'csv'"
Complaint WrongValue(const std::string& text, const VerbText& verb) {
  constexpr std::string_view kGot = ", got '";
  const size_t got = text.rfind(kGot);
  if (got == std::string::npos || !text.ends_with('\'')) return {text};
  const size_t begin = got + kGot.size();
  return {text, OtherWay(verb.name, Before(text, ": "), text.substr(begin, text.size() - 1 - begin))};
}

// The words that follow are those of CLI11 2.1 to 2.5 (CLI/Error.hpp).
Complaint Mismatch(std::string_view text) {
  const std::string name(Before(text, ": "));
  constexpr std::string_view kRequired = " required ";
  constexpr std::string_view kMissing = " missing";
  if (text.ends_with(kMissing)) {
    const size_t begin = text.find(kRequired) + kRequired.size();
    return {
        StrCat(name, ": the value is missing; expected ", text.substr(begin, text.size() - kMissing.size() - begin))};
  }
  if (text.find("At Most 1 required") != std::string_view::npos) return {StrCat(name, ": given twice; expected once")};
  if (text.find("disallowed flag override") != std::string_view::npos) {
    return {StrCat("--", Before(text, " "), ": expected no value")};
  }
  return {std::string(text)};
}

Complaint NotConverted(std::string_view text) {
  constexpr std::string_view kBefore = "Could not convert: ";
  if (!text.starts_with(kBefore)) return {std::string(text)};
  text.remove_prefix(kBefore.size());
  const std::string name(Before(text, " = "));
  const std::string value = Printable(text.substr(std::min(text.size(), name.size() + 3)));
  return {StrCat(name, ": expected a number, got '", value, "'")};
}

Complaint ComplaintOf(const CLI::App& app, const CommandTable& table, const VerbText& verb,
                      const CLI::ParseError& error) {
  const std::string text = error.what();
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) return Surplus(app, table, verb);
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) return Mismatch(text);
  if (dynamic_cast<const CLI::ConversionError*>(&error) != nullptr) return NotConverted(text);
  if (dynamic_cast<const CLI::ValidationError*>(&error) != nullptr) return WrongValue(text, verb);
  if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) {
    return {StrCat(Before(text, " is required"), " is missing; usage: ", verb.Usage(table.program))};
  }
  if (dynamic_cast<const CLI::ExcludesError*>(&error) != nullptr) {
    const std::string name(Before(text, " excludes "));
    return {StrCat(name, " and ", text.substr(text.rfind(' ') + 1), " exclude each other; expected one of them")};
  }
  if (dynamic_cast<const CLI::RequiresError*>(&error) != nullptr) {
    const std::string name(Before(text, " requires "));
    return {StrCat(name, ": expected only together with ", text.substr(text.rfind(' ') + 1))};
  }
  return {text};
}

}  // namespace

Error UsageError(const CLI::App& app, const CommandTable& table, const CLI::ParseError& error) {
  const std::vector<CLI::App*> named = app.get_subcommands();
  const VerbText* verb = named.empty() ? nullptr : table.Find(named.front()->get_name());
  Complaint complaint = verb == nullptr ? NoVerb(app, table) : ComplaintOf(app, table, *verb, error);
  if (complaint.hint.empty()) {
    complaint.hint =
        StrCat("see `", table.program, verb == nullptr ? "" : " ", verb == nullptr ? "" : verb->name, " --help`");
  }
  return {ErrorCode::kUsage, std::move(complaint.message), std::move(complaint.hint)};
}

}  // namespace ofindex
