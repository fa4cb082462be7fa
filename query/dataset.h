#pragma once

#include <memory>
#include <string>
#include <utility>

#include "base/progress.h"
#include "base/result.h"
#include "mmap/record_reader.h"
#include "query/columns/snapshot.h"

namespace ofindex {

/// The records of one snapshot, by ordinal. Reading them uses no SQLite. Moves, does not copy; thread-safe, and usable
/// after a fork.
class Dataset {
 public:
  /// Opens the index `name`, or the index of the data `name`, as Snapshot::OpenWithMap. O(1) in records and shards.
  /// Errors: kNotFound if there is no index (hint: how to build it); kIndex, kIo; kStale if the index keeps being
  /// replaced; kInterrupted if `progress.cancel` was set while waiting for, or making, a missing map.
  [[nodiscard]] static Result<Dataset> Open(const std::string& name, const ReaderOptions& options = {},
                                            const Progress& progress = {}, SnapshotOptions snapshot = {});

  /// Opens the records of a snapshot. Errors: those of Snapshot::Map.
  [[nodiscard]] static Result<Dataset> Open(std::shared_ptr<const Snapshot> snapshot,
                                            const ReaderOptions& options = {});

  [[nodiscard]] const RecordReader& reader() const { return reader_; }
  [[nodiscard]] const std::shared_ptr<const Snapshot>& snapshot() const { return snapshot_; }
  [[nodiscard]] const std::string& index_path() const { return snapshot_->path(); }
  [[nodiscard]] uint64_t size() const { return reader_.size(); }

 private:
  Dataset(std::shared_ptr<const Snapshot> snapshot, RecordReader reader)
      : snapshot_(std::move(snapshot)), reader_(std::move(reader)) {}

  std::shared_ptr<const Snapshot> snapshot_;
  RecordReader reader_;
};

}  // namespace ofindex
