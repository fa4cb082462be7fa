#pragma once

#include <string>

#include "base/progress.h"
#include "base/result.h"
#include "index/build/map_builder.h"
#include "mmap/record_reader.h"

namespace ofindex {

/// A dataset open for reading: an index found by name, its map, and a reader of its records, all of one build. They
/// stay open as long as this object lives: rebuilding the index under the same name changes neither what is read nor
/// what ColumnStore and SqlSession return for opened(). SQLite is used only if the map is missing and must be made
/// again. Moves, does not copy; thread-safe, and usable after fork, even if the working directory changes.
class Dataset {
 public:
  /// Opens the index `name`, or the index of the data `name`. O(1) in records and shards.
  /// Errors: kNotFound if there is no index (hint: how to build it); kIndex, kIo; kStale if the index keeps being
  /// replaced; kInterrupted if `progress.cancel` was set while waiting for, or making, a missing map.
  [[nodiscard]] static Result<Dataset> Open(const std::string& name, ReaderOptions options = {},
                                            const Progress& progress = {});

  /// Opens a dataset on an open index, with or without its map. Errors: those of OpenMap.
  [[nodiscard]] static Result<Dataset> Open(OpenedIndex opened, ReaderOptions options = {},
                                            const Progress& progress = {});

  [[nodiscard]] const RecordReader& reader() const { return reader_; }
  [[nodiscard]] const OpenedIndex& opened() const { return opened_; }
  [[nodiscard]] const std::string& index_path() const { return opened_.index->path(); }
  [[nodiscard]] uint64_t size() const { return reader_.size(); }

 private:
  Dataset(OpenedIndex opened, RecordReader reader) : opened_(std::move(opened)), reader_(std::move(reader)) {}

  OpenedIndex opened_;
  RecordReader reader_;
};

}  // namespace ofindex
