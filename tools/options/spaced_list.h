#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "tools/help/command_table.h"

namespace ofindex {

/// A list of names that a command line gives with spaces, `--feature a b`, if the words after the first name are not
/// meant as arguments: only an error can tell. A value type.
class SpacedList {
 public:
  /// Returns the first option in `words`, the command line of `verb` after its name, that takes a list of names and is
  /// followed by further words; nullopt if there is none, or if those may be arguments that `verb` requires, since they
  /// do not all stand before the option.
  [[nodiscard]] static std::optional<SpacedList> Find(const VerbText& verb, const std::vector<std::string>& words);

  /// Returns `error` of this command line. If it is about one of the words after the first name, its hint becomes the
  /// list with commas.
  [[nodiscard]] Error Explain(Error error) const;

 private:
  [[nodiscard]] bool MayBeCauseOf(const Error& error) const;

  std::string option_;
  std::string first_;
  std::vector<std::string> others_;
  bool others_are_paths_ = false;  // the verb takes any number of files
};

}  // namespace ofindex
