#pragma once

#include <string>

#include "base/progress.h"
#include "base/result.h"
#include "mmap/record_reader.h"

namespace ofindex {

/// A dataset open for reading: the index that a name means, its map, and a reader of its records. SQLite is not
/// touched, unless the map is missing and has to be made anew. Moves, does not copy; thread-safe, and usable after
/// fork.
class Dataset {
 public:
  /// Opens the index `name`, or the one of the DATA `name`. O(1) in records and shards.
  /// Errors: kNotFound  there is no index (hint: how to build it); kIndex, kIo; kInterrupted  `progress.cancel` was set
  /// while a missing map was waited for or made.
  [[nodiscard]] static Result<Dataset> Open(const std::string& name, ReaderOptions options = {},
                                            const Progress& progress = {});

  [[nodiscard]] const RecordReader& reader() const { return reader_; }
  [[nodiscard]] const std::string& index_path() const { return index_path_; }
  [[nodiscard]] uint64_t size() const { return reader_.size(); }

 private:
  Dataset(std::string index_path, RecordReader reader)
      : index_path_(std::move(index_path)), reader_(std::move(reader)) {}

  std::string index_path_;
  RecordReader reader_;
};

}  // namespace ofindex
