#pragma once

#include <sys/types.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include <ofindex/dataset.h>
#include <ofindex/info.h>

#include "base/result.h"
#include "index/catalog/catalog.h"
#include "query/columns/column_store.h"
#include "query/dataset.h"
#include "query/decoding/payload_source.h"
#include "query/sql/sql_session.h"

namespace ofindex::v1 {

/// An open dataset with what its users share: the reader, and columns from the same index, opened when they are first
/// used. Thread-safe without locks, and usable after fork. The only code of this folder that opens indexes.
class Snapshot {
 public:
  [[nodiscard]] static ofindex::Result<std::shared_ptr<const Snapshot>> Open(const std::string& name,
                                                                             const OpenOptions& options);
  ~Snapshot();
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;

  [[nodiscard]] const ofindex::Dataset& dataset() const { return dataset_; }
  [[nodiscard]] const RecordReader& reader() const { return dataset_.reader(); }
  [[nodiscard]] const std::string& root() const { return root_; }

  /// Reads the rows of the index. Errors: those of CatalogReader.
  [[nodiscard]] ofindex::Result<DatasetInfo> Info() const;

  /// The columns, and the builds that made the index. SQLite's connections must not cross a fork, so a forked child
  /// opens its own.
  struct Columns {
    pid_t process;
    std::shared_ptr<ColumnStore> store;
    std::vector<GenerationRow> generations;
    Columns* older;  ///< those of the process that this one was forked from
  };

  /// Returns the columns of this process; valid as long as this object. Errors: kIndex, kIo, kStale.
  [[nodiscard]] ofindex::Result<const Columns*> OpenColumns() const;

  /// Returns the records as the source of a decoder; valid as long as this object. Errors: those of ReaderSource::Of.
  [[nodiscard]] ofindex::Result<const PayloadSource*> OpenSource() const;

  /// Opens a session for SQL. Errors: those of SqlSession::Open.
  [[nodiscard]] ofindex::Result<ofindex::SqlSession> OpenSession() const;

 private:
  Snapshot(ofindex::Dataset dataset, std::string root) : dataset_(std::move(dataset)), root_(std::move(root)) {}

  ofindex::Dataset dataset_;
  std::string root_;
  mutable std::atomic<Columns*> columns_ = nullptr;
  mutable std::atomic<std::shared_ptr<const ReaderSource>*> source_ = nullptr;
};

}  // namespace ofindex::v1
