#include "tools/prompt/prompt.h"

#include <unistd.h>

#include <memory>
#include <utility>

#include "base/allocation.h"
#include "base/text.h"
#include "query/sql/statements/statement_text.h"
#include "tools/prompt/dot_commands.h"
#include "tools/prompt/history_file.h"
#include "tools/prompt/line_editor.h"
#include "tools/prompt/plain_reader.h"
#include "tools/prompt/prompt_signals.h"
#include "tools/prompt/sql_completion.h"
#include "tools/prompt/statement_input.h"
#include "tools/shell/messages.h"
#include "tools/terminal/terminal.h"

namespace ofindex {
namespace {

constexpr const char* kPrompt = "ofindex> ";
constexpr const char* kMorePrompt = "    ...> ";

// Returns true for statements of other databases that show tables and columns.
bool AsksForSchema(const std::string& statement) {
  const std::string word = Folded(statement.substr(0, statement.find_first_of(" \t\n(")));
  return word == "show" || word == "describe" || word == "desc" || word == "pragma";
}

// A prompt that runs: its input so far, and the session that answers. Not thread-safe.
class Prompt {
 public:
  Prompt(PromptSession& session, const Context& context) : session_(session), context_(context) {
    const std::vector<std::string> entries = history_.Load();
    if (!IsDumbTerminal()) {
      reader_ = LineEditor::Open(entries, [this](std::string_view line) { return CompleteLine(line); });
    }
    if (reader_ == nullptr) reader_ = std::make_unique<PlainReader>();
  }

  // Reads and answers one line. Returns false at the end.
  bool Step() {
    PromptSignals::Reset();
    const LineInput input = reader_->Read(input_.unfinished().empty() ? kPrompt : kMorePrompt);
    if (input.kind == LineInput::Kind::kEnd) {
      session_.Show("\n");
      return false;
    }
    if (input.kind == LineInput::Kind::kInterrupted) {
      input_.Clear();
      return true;
    }
    return Answer(input.line);
  }

 private:
  bool Answer(const std::string& line) {
    const bool blank = line.find_first_not_of(" \t\r") == std::string::npos;
    if (blank && input_.unfinished().empty()) return true;
    if (input_.unfinished().empty() ? IsDotCommand(line) : NamesDotCommand(line)) return AnswerCommand(line);
    const std::vector<std::string> statements = input_.Add(line);
    if (input_.unfinished().empty()) Remember(input_.TakeEntry());
    for (const std::string& statement : statements) {
      if (session_.Run(statement)) continue;
      if (AsksForSchema(statement)) PrintNote("`.tables` lists the tables, and `.schema TABLE` the columns", context_);
      if (context_.progress.cancel) break;
    }
    return true;
  }

  bool AnswerCommand(const std::string& line) {
    Remember(line);
    const Result<bool> outcome = RunDotCommand(line, session_);
    if (!outcome) PrintError(outcome.error(), context_);
    return outcome.value_or(true);
  }

  void Remember(const std::string& entry) {
    if (entry.starts_with(' ') || SkipBlank(entry, 0) == entry.size() || entry == last_entry_) return;
    last_entry_ = entry;
    reader_->Remember(entry);
    history_.Append(entry);
  }

  [[nodiscard]] WordCompletion CompleteLine(std::string_view line) const {
    const std::string& before = input_.unfinished();
    if (line.starts_with('.')) return CompleteDotCommand(line, session_.tables());
    WordCompletion completion = CompleteSql(before + std::string(line), session_.tables());
    if (completion.begin < before.size()) return {};  // the word begins on an earlier line
    completion.begin -= before.size();
    return completion;
  }

  PromptSession& session_;
  const Context& context_;
  const HistoryFile history_;
  StatementInput input_;
  std::string last_entry_;
  std::unique_ptr<PromptReader> reader_;
};

}  // namespace

bool HasUser() { return ::isatty(STDIN_FILENO) == 1 && ::isatty(STDOUT_FILENO) == 1; }

Result<int> RunPrompt(SqlSession& session, StatementOptions options, RowForm form, const std::string& greeting,
                      Context& context) {
  for (SqlParameter& parameter : options.parameters) parameter.required = false;
  PromptSession answers(session, std::move(options), {.form = form}, context);
  const PromptSignals signals(context.progress.cancel);
  Prompt prompt(answers, context);
  if (!context.quiet) answers.Show(greeting);
  while (prompt.Step()) {
  }
  if (PromptSignals::must_end()) return Interrupted();
  return 0;
}

}  // namespace ofindex
