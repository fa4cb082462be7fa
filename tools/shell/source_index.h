#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "index/columns/column_choice.h"
#include "tools/shell/context.h"

namespace ofindex {

/// The index of data that a verb reads as a whole: the one that is there, or one that is made for the purpose, in a
/// temporary folder, and goes with this object. Moves, does not copy.
class SourceIndex {
 public:
  /// `data` is what `build` takes; a single one may be an index, or be called as one is. `with_columns` says whether an
  /// index that is made needs columns. Errors: those of BuildIndex and ResolveIndex.
  [[nodiscard]] static Result<SourceIndex> Of(const std::vector<std::string>& data, bool with_columns,
                                              Context& context);

  SourceIndex(SourceIndex&& other) noexcept;
  SourceIndex& operator=(SourceIndex&&) = delete;
  ~SourceIndex();

  [[nodiscard]] const std::string& path() const { return path_; }

  /// What was found and left out when the index was made: files that are no shards, shards that a set lacks,
  /// shards of no bytes.
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }

  /// What to call a shard that the index calls `path`: of an index that was made for the purpose, which lies elsewhere,
  /// as seen from the working directory.
  [[nodiscard]] std::string Shown(const std::string& path) const;

 private:
  SourceIndex() = default;

  std::string path_;
  std::vector<std::string> notes_;
  std::string folder_;  // that is to be removed; empty if there is none
};

}  // namespace ofindex
