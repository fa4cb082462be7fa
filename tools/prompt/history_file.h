#pragma once

#include <string>
#include <vector>

namespace ofindex {

/// The file in which entries of the prompt outlive it: one entry per line, the latest last. Several processes may
/// append to it at once. Failures are no errors: then the prompt only has the entries of its own session.
class HistoryFile {
 public:
  /// The file sql_history in the folder `ofindex` of XDG_STATE_HOME, by default ~/.local/state.
  HistoryFile();

  /// Returns the latest entries, at most a thousand. Cuts a file that has become much longer.
  [[nodiscard]] std::vector<std::string> Load() const;

  /// Appends an entry without line ends. Creates the file, which only the user may read, and its folder.
  void Append(const std::string& entry) const;

 private:
  std::string path_;  // empty if the user has no home
};

}  // namespace ofindex
