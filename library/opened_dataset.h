#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <ofindex/dataset.h>
#include <ofindex/info.h>

#include "base/result.h"
#include "index/catalog/catalog.h"
#include "query/columns/column_store.h"
#include "query/dataset.h"
#include "query/decoding/payload_source.h"
#include "query/sampling/shard_history.h"
#include "query/sql/sql_session.h"

namespace ofindex::v1 {

/// An open dataset with everything that public objects made from it share: records, catalog and columns of one
/// snapshot, each opened on first use. Thread-safe, and usable after fork. Only this class opens parts of an index in
/// this folder.
class OpenedDataset {
 public:
  [[nodiscard]] static ofindex::Result<std::shared_ptr<const OpenedDataset>> Open(const std::string& name,
                                                                                  const OpenOptions& options);
  ~OpenedDataset() { delete source_.load(); }
  OpenedDataset(const OpenedDataset&) = delete;
  OpenedDataset& operator=(const OpenedDataset&) = delete;

  [[nodiscard]] const ofindex::Dataset& dataset() const { return dataset_; }
  [[nodiscard]] const RecordReader& reader() const { return dataset_.reader(); }
  [[nodiscard]] const std::shared_ptr<const IndexFile>& index() const { return dataset_.snapshot()->index(); }
  [[nodiscard]] const std::string& root() const { return root_; }

  /// Reads the rows of the index. Errors: kIndex, kIo, kStale.
  [[nodiscard]] ofindex::Result<DatasetInfo> Info() const;

  /// Returns the position in DatasetInfo::shards of a shard as the reader numbers it. Errors: kIndex, kIo, kStale.
  [[nodiscard]] ofindex::Result<uint32_t> ShardOfPiece(uint32_t piece) const;

  /// Returns the catalog. Errors: kIndex, kIo, kStale.
  [[nodiscard]] ofindex::Result<std::shared_ptr<SharedCatalog>> Catalog() const;

  /// Returns the columns. Errors: kIndex, kIo, kStale.
  [[nodiscard]] ofindex::Result<std::shared_ptr<ColumnStore>> Columns() const;

  /// Returns the builds that made the index. Errors: kIndex, kIo, kStale.
  [[nodiscard]] ofindex::Result<std::vector<GenerationRow>> Generations() const;

  /// Returns its shards in the course of its updates. Errors: kIndex, kIo, kStale.
  [[nodiscard]] ofindex::Result<ShardHistory> History() const;

  /// Returns the records as a decoder and a key read them; valid as long as this object. Errors: those of
  /// ReaderSource::Of.
  [[nodiscard]] ofindex::Result<std::shared_ptr<const ReaderSource>> Source() const;

  /// Opens a session for SQL. Errors: those of SqlSession::Open.
  [[nodiscard]] ofindex::Result<ofindex::SqlSession> OpenSession() const;

 private:
  OpenedDataset(ofindex::Dataset dataset, std::string root) : dataset_(std::move(dataset)), root_(std::move(root)) {}

  ofindex::Dataset dataset_;
  std::string root_;
  mutable std::atomic<std::shared_ptr<const ReaderSource>*> source_ = nullptr;
};

}  // namespace ofindex::v1
