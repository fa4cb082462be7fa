#pragma once

#include <string>
#include <string_view>

namespace ofindex {

/// A new folder below TMPDIR (or where the system keeps temporary files) that is removed, with all that is in it, when
/// the object dies.
class TempDir {
 public:
  TempDir();
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }

  /// Path of `name` in the folder.
  [[nodiscard]] std::string operator/(std::string_view name) const { return path_ + "/" + std::string(name); }

 private:
  std::string path_;
};

}  // namespace ofindex
