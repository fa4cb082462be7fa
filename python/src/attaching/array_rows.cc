#include "python/src/attaching/array_rows.h"

#include <algorithm>

#include "base/bytes.h"

namespace ofindex::python {
namespace {

TableValue ItemOf(const ArrayColumn& column, uint64_t row) {
  if (column.nulls != nullptr && column.nulls[row] != 0) return {};
  switch (column.kind) {
    case FeatureKind::kBytes: {
      const auto begin = static_cast<size_t>(column.offsets[row]);
      const auto end = static_cast<size_t>(column.offsets[row + 1]);
      return {column.kind, 0, {column.data + begin, end - begin}};
    }
    case FeatureKind::kFloat: return {column.kind, LoadLe32(column.data + 4 * row), {}};
    default: return {column.kind, LoadLe64(column.data + 8 * row), {}};
  }
}

}  // namespace

ArrayRows::ArrayRows(std::vector<ArrayColumn> columns, uint64_t rows, std::string name)
    : columns_(std::move(columns)), rows_(rows), name_(std::move(name)) {
  for (const ArrayColumn& column : columns_) names_.push_back(column.name);
}

Result<void> ArrayRows::ForEachBatch(const TakeBatch& take) {
  TableBatch batch;
  batch.columns.resize(columns_.size());
  for (uint64_t at = 0; at < rows_; at += batch.rows) {
    batch.rows = std::min<uint64_t>(kMaxBatchRows, rows_ - at);
    for (size_t c = 0; c < columns_.size(); ++c) {
      batch.columns[c].resize(batch.rows);
      for (size_t r = 0; r < batch.rows; ++r) batch.columns[c][r] = ItemOf(columns_[c], at + r);
    }
    OFINDEX_TRY(take(batch));
  }
  return {};
}

}  // namespace ofindex::python
