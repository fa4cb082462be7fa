#include "tools/help/help_text.h"

#include <unistd.h>

#include <algorithm>
#include <string_view>

#include "base/text.h"
#include "tools/terminal/terminal.h"

namespace ofindex {
namespace {

constexpr size_t kTermIndent = 2;
constexpr size_t kHelpColumn = 28;  // where the explanation of an option begins
constexpr size_t kMinHelpWidth = 30;
constexpr size_t kMaxHelpWidth = 100;  // longer lines are hard to read

// Appends `text`, broken at spaces, each line after the first behind `indent` spaces. `column` is where it begins.
void AppendWrapped(std::string& out, std::string_view text, size_t column, size_t indent, size_t width) {
  const size_t limit = std::max(width, indent + kMinHelpWidth);
  size_t at = column;
  bool first = true;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    if (!first && at + 1 + word.size() > limit) {
      out += "\n" + std::string(indent, ' ');
      at = indent;
    } else if (!first) {
      out += ' ';
      ++at;
    }
    out += word;
    at += word.size();
    first = false;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  out += '\n';
}

void AppendEntry(std::string& out, const std::string& term, const std::string& text, size_t column, size_t width) {
  out += std::string(kTermIndent, ' ') + term;
  size_t at = kTermIndent + term.size();
  if (at + 2 > column) {
    out += "\n";
    at = 0;
  }
  out += std::string(column - at, ' ');
  AppendWrapped(out, text, column, column, width);
}

std::string TermOf(const OptionText& option) {
  if (option.is_argument) return option.names + (option.repeats ? "..." : "");
  return option.value.empty() ? option.names : option.names + " " + option.value;
}

void AppendExamples(std::string& out, const std::vector<ExampleText>& examples, size_t width) {
  if (examples.empty()) return;
  out += "\nExamples:\n";
  for (const ExampleText& example : examples) {
    out += StrCat("  ", example.command, "\n      ");
    AppendWrapped(out, example.effect, 6, 6, width);
  }
}

}  // namespace

size_t HelpWidth() { return std::min(TerminalWidth(STDOUT_FILENO).value_or(kMaxHelpWidth), kMaxHelpWidth); }

std::string HelpOfCommand(const CommandTable& table, size_t width) {
  std::string out;
  AppendWrapped(out, table.summary, 0, 0, width);
  out += StrCat("\nUsage: ", table.program, " VERB [ARGUMENTS] [OPTIONS]\n\nVerbs:\n");
  size_t longest = 0;
  for (const VerbText& verb : table.verbs) longest = std::max(longest, verb.name.size());
  for (const VerbText& verb : table.verbs) AppendEntry(out, verb.name, verb.summary, longest + 4, width);
  AppendExamples(out, table.examples, width);
  out += "\nExit codes:\n";
  for (const ExitCodeText& exit : ExitCodes()) AppendEntry(out, StrCat(exit.code), exit.meaning, 7, width);
  out += StrCat("\n`", table.program, " help VERB` explains a verb; `", table.program,
                " --version` prints the version.\n");
  return out;
}

std::string HelpOfVerb(const CommandTable& table, const VerbText& verb, size_t width) {
  std::string out = "Usage: ";
  AppendWrapped(out, verb.Usage(table.program), 7, 9, width);
  out += "\n";
  AppendWrapped(out, verb.summary + ".", 0, 0, width);
  std::string_view rest = verb.description;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find("\n\n"), rest.size());
    out += "\n";
    AppendWrapped(out, rest.substr(0, end), 0, 0, width);
    rest.remove_prefix(std::min(end + 2, rest.size()));
  }
  for (const OptionGroup& group : verb.Groups()) {
    out += StrCat("\n", group.title, ":\n");
    for (const OptionText* option : group.options) {
      AppendEntry(out, TermOf(*option), option->help, kHelpColumn, width);
    }
  }
  AppendExamples(out, verb.examples, width);
  return out;
}

}  // namespace ofindex
