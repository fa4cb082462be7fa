#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "index/columns/column_choice.h"
#include "tools/shell/context.h"

namespace ofindex {

/// The index of data that a verb reads as a whole: an existing one, or a temporary one in a folder that is removed with
/// this object. Moves, does not copy.
class SourceIndex {
 public:
  /// `data` takes what `ofindex build` takes; a single item may also be an index. If the item is an index, or data that
  /// have one, uses that index; otherwise builds a temporary one, with columns if `with_columns` is true. Errors: those
  /// of BuildIndex and ResolveIndex.
  [[nodiscard]] static Result<SourceIndex> Of(const std::vector<std::string>& data, bool with_columns,
                                              Context& context);

  SourceIndex(SourceIndex&& other) noexcept;
  SourceIndex& operator=(SourceIndex&&) = delete;
  ~SourceIndex();

  [[nodiscard]] const std::string& path() const { return path_; }

  /// Returns notes on the temporary index: files that are not shards, missing shards of a set, empty shards.
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }

  /// Returns the name to show for a shard that the index calls `path`. A temporary index lies elsewhere, so its shards
  /// are shown relative to the working directory.
  [[nodiscard]] std::string Shown(const std::string& path) const;

 private:
  SourceIndex() = default;

  std::string path_;
  std::vector<std::string> notes_;
  std::string folder_;  // to be removed; empty if there is none
};

}  // namespace ofindex
