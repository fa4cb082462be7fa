#include "tools/prompt/line_editor.h"

#include <histedit.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <clocale>
#include <cstdlib>
#include <cwchar>
#include <utility>

#include "base/text.h"
#include "tools/prompt/prompt_signals.h"
#include "tools/terminal/terminal.h"
#include "tools/terminal/text_width.h"

namespace ofindex {
namespace {

constexpr int kMaxEntries = 1000;
constexpr const char* kIndent = "  ";

// Keys that terminals send and libedit does not bind, or binds unlike readline.
constexpr std::array<std::pair<const char*, const char*>, 13> kKeys = {{
    {"\\e[H", "ed-move-to-beg"},
    {"\\eOH", "ed-move-to-beg"},
    {"\\e[1~", "ed-move-to-beg"},
    {"\\e[F", "ed-move-to-end"},
    {"\\eOF", "ed-move-to-end"},
    {"\\e[4~", "ed-move-to-end"},
    {"\\e[3~", "ed-delete-next-char"},
    {"\\e[1;5C", "em-next-word"},
    {"\\e[1;5D", "ed-prev-word"},
    {"\\e\\e[C", "em-next-word"},
    {"\\e\\e[D", "ed-prev-word"},
    {"^W", "ed-delete-prev-word"},
    {"^R", "em-inc-search-prev"},
}};

// libedit reads characters in the user's locale. If that has no characters beyond ASCII, they are UTF-8.
void SetLocale() {
  std::setlocale(LC_CTYPE, "");
  if (MB_CUR_MAX == 1) std::setlocale(LC_CTYPE, "C.UTF-8");
}

// Draws the line again after the terminal was resized, or after another process has used it.
void Redraw(EditLine* editor) {
  WriteToScreen("\r");
  el_resize(editor);
  el_set(editor, EL_REFRESH);
}

// Answers a signal. Returns false if it ends the line.
bool GoesOnAfterSignal(EditLine* editor) {
  if (PromptSignals::interrupted() || PromptSignals::must_end()) return false;
  if (PromptSignals::TakeContinued()) {
    el_set(editor, EL_PREP_TERM, 0);
    el_set(editor, EL_PREP_TERM, 1);
    Redraw(editor);
  }
  if (PromptSignals::TakeResized()) Redraw(editor);
  return true;
}

size_t CharactersOf(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

// Returns the longest text with which all of `words` begin, whole characters only.
std::string_view CommonBegin(const std::vector<std::string>& words) {
  std::string_view common = words.front();
  for (const std::string& word : words) {
    const auto [end, other] = std::mismatch(common.begin(), common.end(), word.begin(), word.end());
    common = common.substr(0, static_cast<size_t>(end - common.begin()));
  }
  while (!common.empty() && !IsUtf8(common)) common.remove_suffix(1);
  return common;
}

// Returns lines that show `words` in columns.
std::vector<std::string> CandidateLines(const std::vector<std::string>& words) {
  std::vector<std::string> texts;
  size_t widest = 0;
  for (const std::string& word : words) {
    texts.push_back(Printable(word));
    widest = std::max(widest, ShownWidth(texts.back()) + 2);
  }
  const size_t per_line = std::max<size_t>(1, TerminalWidth(STDOUT_FILENO).value_or(0) / widest);
  std::vector<std::string> lines;
  for (size_t i = 0; i < texts.size(); ++i) {
    if (i % per_line == 0) lines.emplace_back();
    const bool last = (i + 1) % per_line == 0 || i + 1 == texts.size();
    lines.back() += texts[i] + (last ? "" : std::string(widest - ShownWidth(texts[i]), ' '));
  }
  return lines;
}

// Asks whether to show `count` candidates, which fill more than the screen, as bash does.
bool AsksFor(size_t count, EditLine* editor) {
  WriteToScreen(StrCat("\nDisplay all ", FormatCount(count), " possibilities? (y or n)"));
  for (;;) {
    wchar_t key = 0;
    if (el_wgetc(editor, &key) != 1) return false;
    if (key == L'y' || key == L'Y' || key == L' ' || key == L'\t') return true;
    // Ctrl-C arrives as a signal, which ends the read.
    if (key == L'n' || key == L'N' || key == L'\x7f' || key == L'\b' || key == L'\r' || key == L'\n') return false;
  }
}

// Writes `words` below the line, after asking if they fill more than the screen.
void ShowCandidates(const std::vector<std::string>& words, EditLine* editor) {
  const std::vector<std::string> lines = CandidateLines(words);
  std::string text = "\n";
  if (lines.size() + 2 > TerminalHeight() && !AsksFor(words.size(), editor)) {
    WriteToScreen(text);
    return;
  }
  for (const std::string& line : lines) text += line + "\n";
  WriteToScreen(text);
}

}  // namespace

std::unique_ptr<PromptReader> LineEditor::Open(const std::vector<std::string>& entries, Completer completer) {
  SetLocale();
  EditLine* const editor = el_init("ofindex", stdin, stdout, stderr);
  History* const history_entries = history_init();
  if (editor == nullptr || history_entries == nullptr) {
    if (editor != nullptr) el_end(editor);
    if (history_entries != nullptr) history_end(history_entries);
    return nullptr;
  }
  std::unique_ptr<PromptReader> reader(new LineEditor(editor, history_entries, std::move(completer)));
  for (const std::string& entry : entries) reader->Remember(entry);
  return reader;
}

LineEditor::LineEditor(editline* editor, struct history* entries, Completer completer)
    : editor_(editor), entries_(entries), completer_(std::move(completer)) {
  HistEvent event;
  ::history(entries_, &event, H_SETSIZE, kMaxEntries);
  ::history(entries_, &event, H_SETUNIQUE, 1);
  el_set(editor_, EL_CLIENTDATA, this);
  el_set(editor_, EL_PROMPT, &LineEditor::Prompt);
  el_set(editor_, EL_HIST, &::history, entries_);
  el_set(editor_, EL_GETCFN, &LineEditor::GetCharacter);
  BindKeys();
  el_source(editor_, nullptr);
}

LineEditor::~LineEditor() {
  el_end(editor_);
  history_end(entries_);
}

void LineEditor::BindKeys() {
  el_set(editor_, EL_EDITOR, "emacs");
  for (const auto& [key, command] : kKeys) el_set(editor_, EL_BIND, key, command, nullptr);
  el_set(editor_, EL_ADDFN, "ofindex-complete", "Complete the word", &LineEditor::OnTab);
  el_set(editor_, EL_BIND, "^I", "ofindex-complete", nullptr);
}

LineInput LineEditor::Read(const std::string& prompt) {
  prompt_ = prompt;
  el_set(editor_, EL_PREP_TERM, 1);  // before the prompt is shown: no key after it is echoed by the terminal
  int count = 0;
  const char* const line = el_gets(editor_, &count);
  if (PromptSignals::must_end()) return {LineInput::Kind::kEnd, ""};
  if (PromptSignals::interrupted()) {
    WriteToScreen("^C\n");
    return {LineInput::Kind::kInterrupted, ""};
  }
  if (line == nullptr || count <= 0) return {LineInput::Kind::kEnd, ""};
  std::string text(line, static_cast<size_t>(count));
  if (text.ends_with('\n')) text.pop_back();
  return {LineInput::Kind::kLine, std::move(text)};
}

void LineEditor::Remember(const std::string& entry) {
  HistEvent event;
  ::history(entries_, &event, H_ENTER, entry.c_str());
}

LineEditor& LineEditor::Of(editline* editor) {
  void* self = nullptr;
  el_get(editor, EL_CLIENTDATA, &self);
  return *static_cast<LineEditor*>(self);
}

const char* LineEditor::Prompt(editline* editor) { return Of(editor).prompt_.c_str(); }

// Reads one character. Returns 1, 0 at the end of the input, or -1 if a signal ends the line: libedit's own function
// would read on. Bytes that are no characters are ignored.
int LineEditor::GetCharacter(editline* editor, wchar_t* character) {
  std::mbstate_t state{};
  for (;;) {
    if (!PromptSignals::WaitForInput()) {
      if (!GoesOnAfterSignal(editor)) return -1;
      continue;
    }
    char byte = 0;
    const ssize_t n = ::read(STDIN_FILENO, &byte, 1);
    if (n == 0) return 0;
    if (n < 0 && errno != EINTR) return -1;
    if (n < 0) continue;
    const size_t size = std::mbrtowc(character, &byte, 1, &state);
    if (size == 1 || size == 0) return 1;
    if (size == static_cast<size_t>(-1)) state = {};
  }
}

unsigned char LineEditor::OnTab(editline* editor, int) { return Of(editor).Complete(); }

unsigned char LineEditor::Complete() {
  const LineInfo* const info = el_line(editor_);
  const std::string before(info->buffer, info->cursor);
  if (before.find_first_not_of(" \t") == std::string::npos) {
    return el_insertstr(editor_, kIndent) == 0 ? CC_REFRESH : CC_ERROR;
  }
  const WordCompletion completion = completer_(before);
  if (completion.candidates.empty()) return CC_REFRESH_BEEP;
  const std::string word = before.substr(completion.begin);
  const bool only = completion.candidates.size() == 1;
  std::string common(CommonBegin(completion.candidates));
  if (only && !common.ends_with('(')) common += ' ';
  const bool longer = common.size() > word.size() || (common.size() == word.size() && common != word);
  if (longer) {
    el_deletestr(editor_, static_cast<int>(CharactersOf(word)));
    if (el_insertstr(editor_, common.c_str()) != 0) return CC_ERROR;
    return CC_REFRESH;
  }
  ShowCandidates(completion.candidates, editor_);
  return CC_REDISPLAY;
}

}  // namespace ofindex
