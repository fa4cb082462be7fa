#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tools/prompt/prompt_reader.h"

struct editline;
struct history;

namespace ofindex {

/// Reads lines that the user can edit, complete with Tab, and bring back with the arrow keys. Wraps libedit, so users
/// can bind keys in ~/.editrc. One at a time.
class LineEditor final : public PromptReader {
 public:
  /// Returns nothing if the terminal cannot be used. `entries` are those to bring back, the latest last. Sets the
  /// process's locale for characters, which libedit reads.
  [[nodiscard]] static std::unique_ptr<PromptReader> Open(const std::vector<std::string>& entries, Completer completer);

  ~LineEditor() override;

  [[nodiscard]] LineInput Read(const std::string& prompt) override;
  void Remember(const std::string& entry) override;

 private:
  LineEditor(editline* editor, struct history* entries, Completer completer);

  static LineEditor& Of(editline* editor);
  static const char* Prompt(editline* editor);
  static int GetCharacter(editline* editor, wchar_t* character);
  static unsigned char OnTab(editline* editor, int);

  void BindKeys();
  [[nodiscard]] unsigned char Complete();

  editline* const editor_;
  struct history* const entries_;
  const Completer completer_;
  std::string prompt_;
};

}  // namespace ofindex
