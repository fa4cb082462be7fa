#include <memory>
#include <string>
#include <vector>

#include "base/text.h"
#include "tools/help/completion.h"
#include "tools/help/completion_scripts.h"
#include "tools/help/help_text.h"
#include "tools/help/man_page.h"
#include "tools/shell/output.h"
#include "tools/verbs/verbs.h"

namespace ofindex {
namespace {

struct HelpArguments {
  std::vector<std::string> words;
  std::string shell;
  bool man = false;
  bool complete = false;
};

Result<std::string> HelpFor(const CommandTable& table, const HelpArguments& arguments) {
  if (arguments.complete) return AnswerOf(Complete(table, arguments.words));
  if (!arguments.shell.empty()) return CompletionScript(arguments.shell, table.program);
  if (arguments.words.empty()) return arguments.man ? ManOfCommand(table) : HelpOfCommand(table, HelpWidth());
  const std::string& name = arguments.words.front();
  if (arguments.words.size() > 1) {
    return Fail(ErrorCode::kUsage, StrCat("'", Printable(arguments.words[1]), "': expected one verb"),
                "`ofindex help` lists the verbs");
  }
  const VerbText* verb = table.Find(name);
  if (verb == nullptr) {
    const std::string meant = table.VerbMeantBy(name);
    return Fail(ErrorCode::kUsage, StrCat("there is no verb '", Printable(name), "'"),
                meant.empty() ? Hint("`ofindex help` lists the verbs") : Hint(meant));
  }
  return arguments.man ? ManOfVerb(table, *verb) : HelpOfVerb(table, *verb, HelpWidth());
}

Result<int> Help(const CommandTable& table, const HelpArguments& arguments) {
  OFINDEX_ASSIGN(const std::string text, HelpFor(table, arguments));
  OFINDEX_TRY(Output::Standard().Write(text));
  return 0;
}

}  // namespace

void AddHelp(CommandLine& line, Context& context) {
  Verb verb = AddVerb(line, context, "help", "Explain a verb; print manual pages and completions", Formats::kNone);
  auto arguments = std::make_shared<HelpArguments>();
  verb.AddArgument("VERB", arguments->words, "The verb to explain; default: the list of verbs")
      .Completes(Completes::kVerb);
  verb.AddFlag("--man", arguments->man, "Print it as a manual page, for `man -l`");
  verb.AddOption("--completion", arguments->shell, "SHELL",
                 "Print the script that completes commands in bash, zsh or fish")
      .OneOf({"bash", "zsh", "fish"});
  verb.AddFlag("--complete", arguments->complete,
               "Print what may complete the last of the words after `--`, for the scripts");
  verb.Runs([&line, arguments] { return Help(line.table(), *arguments); });
}

}  // namespace ofindex
