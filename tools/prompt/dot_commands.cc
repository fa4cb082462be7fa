#include "tools/prompt/dot_commands.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <utility>

#include "base/nearest_names.h"
#include "base/text.h"
#include "tools/prompt/sql_completion.h"

namespace ofindex {
namespace {

constexpr size_t kMaxLineWidth = 10'000;
constexpr size_t kLeastLineWidth = 20;
constexpr size_t kNamesShown = 30;  // of the columns of a table, in .tables
constexpr std::string_view kBlank = " \t\r\n;";
constexpr std::string_view kHelp =
    "Enter a SELECT that ends with a semicolon. Tab completes words.\n"
    "An empty line or Ctrl-C drops what was entered.\n\n";

using CommandOutcome = Result<bool>;  // false ends the prompt

constexpr auto kForms = std::to_array<std::pair<std::string_view, RowForm>>({
    {"table", RowForm::kTable},
    {"line", RowForm::kLine},
    {"csv", RowForm::kCsv},
    {"json", RowForm::kJson},
    {"jsonl", RowForm::kJsonLines},
});

tl::unexpected<Error> WrongArgument(std::string_view command, std::string_view argument, std::string_view expected,
                                    std::string hint) {
  const std::string given = argument.empty() ? "nothing" : StrCat("'", Printable(argument), "'");
  return Fail(ErrorCode::kUsage, StrCat(command, ": expected ", expected, ", got ", given), std::move(hint));
}

std::string_view Trimmed(std::string_view text) {
  const size_t begin = std::min(text.find_first_not_of(kBlank), text.size());
  text.remove_prefix(begin);
  return text.substr(0, text.find_last_not_of(kBlank) + 1);
}

CommandOutcome ExplainCommand(std::string_view sql, PromptSession& session) {
  if (sql.empty()) return WrongArgument(".explain", sql, "a statement", "enter `.explain SELECT * FROM records`");
  session.Explain(sql);
  return true;
}

CommandOutcome ModeCommand(std::string_view word, PromptSession& session) {
  const auto is = [&](const auto& form) { return form.first == Folded(word); };
  const auto found = std::find_if(kForms.begin(), kForms.end(), is);
  if (found == kForms.end()) {
    return WrongArgument(".mode", word, "table, line, csv, json or jsonl",
                         "enter `.mode line` for a line for each value");
  }
  session.settings().form = found->second;
  return true;
}

CommandOutcome QuitCommand(std::string_view, PromptSession&) { return false; }

tl::unexpected<Error> NoSuchTable(std::string_view name, const std::vector<SqlTable>& tables) {
  std::vector<std::string> names;
  for (const SqlTable& table : tables) names.push_back(table.name);
  const std::string suggestion = DidYouMean(NearestNames(name, names), "'");
  return Fail(ErrorCode::kUsage,
              StrCat(".schema: there is no table '", Printable(name), "'", suggestion.empty() ? "" : "; ", suggestion),
              "`.tables` lists the tables");
}

CommandOutcome SchemaOfAll(PromptSession& session) {
  Table shown({"table", "column", "type"});
  for (const SqlTable& table : session.tables()) {
    for (const SqlTable::Column& column : table.columns) {
      shown.Add({Printable(SqlTableText(table)), Printable(SqlNameText(column.name)), column.type});
    }
  }
  session.Show(shown);
  return true;
}

CommandOutcome SchemaCommand(std::string_view name, PromptSession& session) {
  if (name.empty()) return SchemaOfAll(session);
  if (name.size() > 2 && name.starts_with('"') && name.ends_with('"')) name = name.substr(1, name.size() - 2);
  for (const SqlTable& table : session.tables()) {
    if (Folded(table.name) != Folded(name)) continue;
    Table shown({"column", "type"});
    for (const SqlTable::Column& column : table.columns) {
      shown.Add({Printable(SqlNameText(column.name)), column.type});
    }
    session.Show(shown);
    return true;
  }
  return NoSuchTable(name, session.tables());
}

CommandOutcome TablesCommand(std::string_view, PromptSession& session) {
  Table table({"table", "columns"});
  for (const SqlTable& one : session.tables()) {
    std::string names;
    for (size_t c = 0; c < std::min(one.columns.size(), kNamesShown); ++c) {
      names += StrCat(c == 0 ? "" : ", ", Printable(SqlNameText(one.columns[c].name)));
    }
    if (one.columns.size() > kNamesShown) names += StrCat(", and ", one.columns.size() - kNamesShown, " more");
    table.Add({Printable(SqlTableText(one)), std::move(names)});
  }
  session.Show(table);
  return true;
}

CommandOutcome TimerCommand(std::string_view word, PromptSession& session) {
  if (word != "on" && word != "off") return WrongArgument(".timer", word, "on or off", "enter `.timer on`");
  session.settings().timer = word == "on";
  return true;
}

CommandOutcome WidthCommand(std::string_view text, PromptSession& session) {
  size_t width = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), width);
  const bool number = error == std::errc() && end == text.data() + text.size();
  if (!number || width > kMaxLineWidth || (width > 0 && width < kLeastLineWidth)) {
    return WrongArgument(".width", text, StrCat("0, or a number from ", kLeastLineWidth, " to ", kMaxLineWidth),
                         "enter `.width 0` for the width of the terminal");
  }
  session.settings().width = width == 0 ? std::nullopt : std::optional(width);
  return true;
}

CommandOutcome HelpCommand(std::string_view, PromptSession& session);

struct DotCommand {
  std::string_view name;
  std::string_view argument;
  std::string_view help;
  CommandOutcome (*run)(std::string_view argument, PromptSession& session);
  std::string_view words = {};  // what the argument can be, for completion; "TABLE": a table
};

// In the order of the help.
constexpr std::array kCommands = {
    DotCommand{".tables", "", "List the tables and their columns", TablesCommand},
    DotCommand{".schema", "[TABLE]", "List columns and their types", SchemaCommand, "TABLE"},
    DotCommand{".mode", "MODE", "Show results as table, line, csv, json or jsonl", ModeCommand,
               "table line csv json jsonl"},
    DotCommand{".width", "N", "Fit tables to N columns; 0: to the terminal", WidthCommand},
    DotCommand{".timer", "on|off", "Say how long each statement took", TimerCommand, "on off"},
    DotCommand{".explain", "SQL", "Show how a statement is answered, without running it", ExplainCommand},
    DotCommand{".help", "", "Show this list", HelpCommand},
    DotCommand{".quit", "", "End; so do .exit and Ctrl-D", QuitCommand},
    DotCommand{".exit", "", "End", QuitCommand},
};

CommandOutcome HelpCommand(std::string_view, PromptSession& session) {
  Table table({"command", "what it does"});
  for (const DotCommand& command : kCommands) {
    if (command.name == ".exit") continue;
    table.Add({StrCat(command.name, command.argument.empty() ? "" : " ", command.argument), std::string(command.help)});
  }
  session.Show(table, kHelp);
  return true;
}

std::vector<std::string> NamesOfCommands() {
  std::vector<std::string> names;
  for (const DotCommand& command : kCommands) names.emplace_back(command.name);
  return names;
}

// Splits a line into the name of a command and its argument.
std::pair<std::string, std::string_view> Divided(std::string_view line) {
  line = Trimmed(line);
  const size_t end = std::min(line.find_first_of(" \t"), line.size());
  const std::string name = Folded(line.substr(0, end));
  const bool has_sign = name.starts_with('.') || name.starts_with('\\');
  return {has_sign ? name : StrCat(".", name), Trimmed(line.substr(end))};
}

tl::unexpected<Error> NoSuchCommand(const std::string& name) {
  const std::vector<std::string> names = NamesOfCommands();
  std::vector<std::string> nearest = WordsWith(name, names);
  if (nearest.empty() || name == ".") nearest = NearestNames(name, names);
  std::string all;
  for (const std::string& one : names) all += StrCat(all.empty() ? "" : ", ", one);
  const std::string suggestion = DidYouMean(nearest, "'");
  return Fail(ErrorCode::kUsage,
              StrCat("there is no command '", Printable(name), "'", suggestion.empty() ? "" : "; ", suggestion),
              StrCat("the commands are ", all));
}

}  // namespace

bool IsDotCommand(std::string_view line) {
  const std::string word = Folded(Trimmed(line));
  return word.starts_with('.') || word.starts_with('\\') || word == "help" || word == "quit" || word == "exit";
}

bool NamesDotCommand(std::string_view line) {
  const std::vector<std::string> names = NamesOfCommands();
  return line.starts_with('.') && std::find(names.begin(), names.end(), Divided(line).first) != names.end();
}

Result<bool> RunDotCommand(std::string_view line, PromptSession& session) {
  const auto [name, argument] = Divided(line);
  const auto found = std::find_if(kCommands.begin(), kCommands.end(),
                                  [&, &wanted = name](const DotCommand& command) { return command.name == wanted; });
  if (found == kCommands.end()) return NoSuchCommand(name);
  if (found->argument.empty() && !argument.empty()) {
    return WrongArgument(found->name, argument, "no argument", "`.help` describes the commands");
  }
  return found->run(argument, session);
}

WordCompletion CompleteDotCommand(std::string_view line, const std::vector<SqlTable>& tables) {
  const size_t end = line.find_first_of(" \t");
  if (end == std::string_view::npos) return {0, WordsWith(line, NamesOfCommands())};
  const std::string name = Folded(line.substr(0, end));
  const size_t begin = line.find_last_of(" \t") + 1;
  if (name == ".explain") {
    WordCompletion completion = CompleteSql(line.substr(end), tables);
    completion.begin += end;
    return completion;
  }
  for (const DotCommand& command : kCommands) {
    if (command.name != name) continue;
    std::vector<std::string> words;
    for (std::string_view rest = command.words; !rest.empty() && rest != "TABLE";) {
      const size_t space = std::min(rest.find(' '), rest.size());
      words.emplace_back(rest.substr(0, space));
      rest.remove_prefix(std::min(space + 1, rest.size()));
    }
    if (command.words == "TABLE") {
      for (const SqlTable& table : tables) words.push_back(table.name);
    }
    return {begin, WordsWith(line.substr(begin), words)};
  }
  return {};
}

}  // namespace ofindex
