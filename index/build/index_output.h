#pragma once

#include <optional>
#include <string>
#include <utility>

#include "base/progress.h"
#include "base/result.h"
#include "index/build/index_writer.h"
#include "index/columns/column_choice.h"
#include "index/output/atomic_file.h"

namespace ofindex {

/// The files of a new index, and of its map unless it is a part, until they are published. Moves, does not copy; not
/// thread-safe.
class IndexOutput {
 public:
  /// `index` is the target of `temporary`. Errors: kIo, kLimit; kInterrupted while waiting for another process.
  [[nodiscard]] static Result<IndexOutput> Begin(const std::string& index, AtomicFile temporary, bool has_map,
                                                 const Progress& progress);

  /// Begins to write both files. Errors: kIo.
  [[nodiscard]] Result<IndexWriter> BeginIndex(ColumnChoice columns);

  /// Returns the path that the index is written to.
  [[nodiscard]] const std::string& path() const { return index_.path(); }

  /// Replaces the old files by the new ones; a part removes the map of the index that it replaces. Errors: those of
  /// AtomicFile::Publish.
  [[nodiscard]] Result<void> Publish(AtomicFile::Durability durability);

 private:
  IndexOutput(AtomicFile index, std::optional<AtomicFile> map, std::string map_path)
      : index_(std::move(index)), map_(std::move(map)), map_path_(std::move(map_path)) {}

  [[nodiscard]] Result<void> RemoveOldMap() const;

  AtomicFile index_;
  std::optional<AtomicFile> map_;
  std::string map_path_;
};

}  // namespace ofindex
