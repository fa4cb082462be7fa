#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "query/attaching/table_rows.h"
#include "tools/tables/table_file.h"

namespace ofindex {

/// The rows of a CSV, TSV or JSON lines file, to attach them to records. Not thread-safe.
class FileRows final : public TableRows {
 public:
  /// `name` is what messages and the schema call the table.
  FileRows(TableFile file, std::string name);

  const std::string& name() const override { return name_; }
  const std::vector<std::string>& columns() const override { return columns_; }
  void KeepTexts(size_t column) override { file_.KeepTexts(column); }
  Result<void> CheckColumn(size_t column) const override;
  Result<void> ForEachBatch(const TakeBatch& take) override;

  [[nodiscard]] const TableFile& file() const { return file_; }

 private:
  void Add(size_t column, const SourceValue& cell);
  [[nodiscard]] Result<void> Pass(const TakeBatch& take);

  TableFile file_;
  std::string name_;
  std::vector<std::string> columns_;
  TableBatch batch_;
  std::deque<std::string> texts_;  // of the batch
  uint64_t text_bytes_ = 0;
};

}  // namespace ofindex
