#include "tools/help/man_page.h"

#include <cctype>
#include <string_view>

#include "base/text.h"

namespace ofindex {
namespace {

// Escapes what man(7) would interpret: a backslash, a hyphen (which may be broken or replaced by a dash), and a stop or
// apostrophe at the beginning of a line. Text in backquotes becomes bold, as commands are in manuals.
std::string Escaped(std::string_view text) {
  std::string out;
  bool bold = false;
  bool line_begins = true;
  for (const char c : text) {
    if (line_begins && (c == '.' || c == '\'')) out += "\\&";
    line_begins = c == '\n';
    switch (c) {
      case '\\': out += "\\e"; break;
      case '-': out += "\\-"; break;
      case '\'': out += "\\(aq"; break;
      case '^': out += "\\(ha"; break;
      case '~': out += "\\(ti"; break;
      case '`':
        bold = !bold;
        out += bold ? "\\fB" : "\\fR";
        break;
      default: out += c;
    }
  }
  return out;
}

std::string Upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

std::string Heading(const CommandTable& table, const std::string& title) {
  return StrCat(".TH ", Escaped(title), " 1 \"\" \"", Escaped(table.program), " ", Escaped(table.version), "\" \"",
                Escaped(table.program), "\"\n");
}

void AppendParagraphs(std::string& out, std::string_view text) {
  while (!text.empty()) {
    const size_t end = std::min(text.find("\n\n"), text.size());
    out += StrCat(".PP\n", Escaped(text.substr(0, end)), "\n");
    text.remove_prefix(std::min(end + 2, text.size()));
  }
}

void AppendTerm(std::string& out, const std::string& term, const std::string& text) {
  out += StrCat(".TP\n", term, "\n", Escaped(text), "\n");
}

std::string TermOfOption(const OptionText& option) {
  if (option.is_argument) return StrCat("\\fI", Escaped(option.names), "\\fR", option.repeats ? "..." : "");
  std::string term;
  for (const std::string& name : option.NameList()) {
    term += StrCat(term.empty() ? "" : ", ", "\\fB", Escaped(name), "\\fR");
  }
  return option.value.empty() ? term : StrCat(term, " \\fI", Escaped(option.value), "\\fR");
}

void AppendManExamples(std::string& out, const std::vector<ExampleText>& examples) {
  if (examples.empty()) return;
  out += ".SH EXAMPLES\n";
  for (const ExampleText& example : examples)
    AppendTerm(out, StrCat("\\fB", Escaped(example.command), "\\fR"), example.effect);
}

void AppendEnd(std::string& out, const CommandTable& table, const VerbText* shown) {
  out += ".SH EXIT STATUS\n";
  for (const ExitCodeText& exit : ExitCodes()) AppendTerm(out, StrCat(exit.code), exit.meaning);
  out += ".SH ENVIRONMENT\n";
  for (const VariableText& variable : Variables()) AppendTerm(out, variable.name, variable.meaning);
  out += ".SH SEE ALSO\n";
  std::string pages = shown == nullptr ? "" : StrCat("\\fB", Escaped(table.program), "\\fR(1)");
  for (const VerbText& verb : table.verbs) {
    if (&verb == shown) continue;
    pages += StrCat(pages.empty() ? "" : ",\n", "\\fB", Escaped(table.program), "\\-", Escaped(verb.name), "\\fR(1)");
  }
  out += pages + "\n";
}

}  // namespace

std::string ManOfCommand(const CommandTable& table) {
  std::string out = Heading(table, table.program);
  out += StrCat(".SH NAME\n", Escaped(table.program), " \\- ", Escaped(table.summary), "\n");
  out +=
      StrCat(".SH SYNOPSIS\n\\fB", Escaped(table.program), "\\fR \\fIVERB\\fR [\\fIARGUMENTS\\fR] [\\fIOPTIONS\\fR]\n");
  out += ".SH VERBS\n";
  for (const VerbText& verb : table.verbs) {
    AppendTerm(out, StrCat("\\fB", Escaped(verb.name), "\\fR"), verb.summary);
  }
  AppendManExamples(out, table.examples);
  AppendEnd(out, table, nullptr);
  return out;
}

std::string ManOfVerb(const CommandTable& table, const VerbText& verb) {
  const std::string title = StrCat(table.program, "-", verb.name);
  std::string out = Heading(table, title);
  out += StrCat(".SH NAME\n", Escaped(title), " \\- ", Escaped(verb.summary), "\n");
  out += StrCat(".SH SYNOPSIS\n", Escaped(verb.Usage(table.program)), "\n.SH DESCRIPTION\n");
  out += Escaped(verb.summary) + ".\n";
  AppendParagraphs(out, verb.description);
  for (const OptionGroup& group : verb.Groups()) {
    out += StrCat(".SH ", Upper(group.title), "\n");
    for (const OptionText* option : group.options) AppendTerm(out, TermOfOption(*option), option->help);
  }
  AppendManExamples(out, verb.examples);
  AppendEnd(out, table, &verb);
  return out;
}

}  // namespace ofindex
