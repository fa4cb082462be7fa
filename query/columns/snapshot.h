#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "index/build/map_builder.h"
#include "index/catalog/shared_catalog.h"
#include "query/columns/column_store.h"

namespace ofindex {

struct SnapshotOptions {
  ColumnStoreOptions columns = {};
  /// Files of attached columns (`ofindex attach -o FILE`) that are laid over the index, besides that next to it.
  std::vector<std::string> attachments = {};
  const Progress* progress = nullptr;  ///< if cancelled, ends the wait for a missing map; must outlive all parts
};

/// One build of an index, opened once: its map, its catalog and its columns all come from the same open file, so they
/// agree, even if the index is rebuilt under the same name or the working directory changes. A part is opened when it
/// is first asked for, and kept. Thread-safe. Usable after a fork: the child opens its own catalog and columns, because
/// SQLite's connections belong to the process that opened them; the child must not use what was returned before the
/// fork.
class Snapshot {
 public:
  /// Opens the index `name`, or the index of the data `name`. Reads no table, and needs no map.
  /// Errors: kNotFound if there is no index (hint: how to build it); kIndex, kIo.
  [[nodiscard]] static Result<std::shared_ptr<const Snapshot>> Open(const std::string& name,
                                                                    SnapshotOptions options = {});

  /// Opens the index with its map; starts over if the index is replaced before the map is open.
  /// Errors: those of Open and OpenIndex.
  [[nodiscard]] static Result<std::shared_ptr<const Snapshot>> OpenWithMap(const std::string& name,
                                                                           const Progress& progress,
                                                                           SnapshotOptions options = {});

  Snapshot(OpenedIndex opened, SnapshotOptions options);
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;
  ~Snapshot();

  [[nodiscard]] const std::shared_ptr<const IndexFile>& index() const { return index_; }
  [[nodiscard]] const std::string& path() const { return index_->path(); }

  /// Returns the map. A missing one is rebuilt. Errors: those of OpenMap.
  [[nodiscard]] Result<std::shared_ptr<const OffsetMap>> Map() const;

  /// Returns the catalog. Errors: kIndex if the file is not an index, has another version, or is damaged; kStale if it
  /// was rewritten.
  [[nodiscard]] Result<std::shared_ptr<SharedCatalog>> Catalog() const;

  /// Returns the columns, the attached ones included. Errors: those of Catalog() and OpenAttachments().
  [[nodiscard]] Result<std::shared_ptr<ColumnStore>> Columns() const;

  /// Drops the columns and the chunks that they keep, unless somebody else has them. Columns() opens them again.
  void CloseColumns() const;

 private:
  struct Parts;

  [[nodiscard]] Parts& PartsOfThisProcess() const;

  std::shared_ptr<const IndexFile> index_;
  std::shared_ptr<const OffsetMap> map_;  // null if the snapshot was opened without it
  SnapshotOptions options_;
  mutable std::atomic<Parts*> parts_;
};

}  // namespace ofindex
