#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "query/dataset.h"

namespace ofindex {

/// A dataset of three shards and 90 records that fills every table of an index: a gzip shard, a torn tail, a bad
/// record, columns of all kinds, lists, NULL and NaN. It lies in a folder of its own, is made once for each process,
/// and has the same index each time.
class SmallDataset {
 public:
  static constexpr uint64_t kRecords = 90;

  /// Returns the dataset of this process.
  [[nodiscard]] static const SmallDataset& Get();

  [[nodiscard]] const std::string& folder() const { return folder_; }
  [[nodiscard]] std::string data() const { return folder_ + "/train"; }
  [[nodiscard]] std::string index() const { return folder_ + "/train.ofidx"; }

  /// Returns the payload of each record, as it was written.
  [[nodiscard]] const std::vector<std::string>& payloads() const { return payloads_; }

  /// Returns the bytes of all shards, inflated.
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

  /// The dataset, open; bad records can be read.
  [[nodiscard]] const Dataset& open() const { return *open_; }
  [[nodiscard]] const std::shared_ptr<ColumnStore>& columns() const { return columns_; }

  ~SmallDataset();
  SmallDataset(const SmallDataset&) = delete;
  SmallDataset& operator=(const SmallDataset&) = delete;

 private:
  SmallDataset();
  void WriteShards();

  std::string folder_;
  std::vector<std::string> payloads_;
  std::string bytes_;
  std::unique_ptr<Dataset> open_;
  std::shared_ptr<ColumnStore> columns_;
};

}  // namespace ofindex
