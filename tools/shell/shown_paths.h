#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ofindex {

/// How the paths that an index stores, relative to its folder, are shown to people. Documents and SQL have them as they
/// are stored. A value type.
///
/// A path below the folder is shown as it is. One that leads out of it, as those of an index in another folder do, is
/// shown as the command could take it: relative to the working directory or, if it is not below that, absolute.
class ShownPaths {
 public:
  /// `index` is the path of the index.
  explicit ShownPaths(const std::string& index);

  [[nodiscard]] std::string operator()(const std::string& stored) const;

  /// Returns rows of the index with their paths as they are shown.
  template <typename Row>
  [[nodiscard]] std::vector<Row> In(std::vector<Row> rows) const {
    for (Row& row : rows) row.path = (*this)(row.path);
    return rows;
  }

 private:
  std::filesystem::path folder_;  // absolute, without links
  std::filesystem::path here_;
};

/// Returns `path` relative to the folder `here` if it is below it, otherwise `path`; both are absolute.
[[nodiscard]] std::string NearPath(const std::filesystem::path& path, const std::filesystem::path& here);

}  // namespace ofindex
