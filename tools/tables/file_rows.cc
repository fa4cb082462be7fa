#include "tools/tables/file_rows.h"

#include <bit>
#include <span>

#include "base/text.h"

namespace ofindex {
namespace {

constexpr size_t kMaxBatchBytes = size_t{16} << 20;

}  // namespace

FileRows::FileRows(TableFile file, std::string name) : file_(std::move(file)), name_(std::move(name)) {
  for (const TableFile::Column& column : file_.columns()) columns_.push_back(column.name);
  batch_.columns.resize(columns_.size());
}

Result<void> FileRows::CheckColumn(size_t column) const {
  if (!file_.columns()[column].has_lists) return {};
  return Fail(ErrorCode::kFormat,
              StrCat(Printable(name_), ": column '", Printable(columns_[column]),
                     "' has lists; expected numbers, texts or nulls"),
              "name the other columns with --columns");
}

Result<void> FileRows::ForEachBatch(const TakeBatch& take) {
  OFINDEX_TRY(file_.ForEachRow([&](std::span<const SourceValue> cells) -> Result<void> {
    for (size_t c = 0; c < cells.size(); ++c) Add(c, cells[c]);
    ++batch_.rows;
    return batch_.rows == kMaxBatchRows || text_bytes_ >= kMaxBatchBytes ? Pass(take) : Result<void>();
  }));
  return batch_.rows == 0 ? Result<void>() : Pass(take);
}

void FileRows::Add(size_t column, const SourceValue& cell) {
  TableValue& value = batch_.columns[column].emplace_back();
  switch (cell.type) {
    case SourceValue::Type::kNull: return;
    case SourceValue::Type::kBoolean:
    case SourceValue::Type::kInteger: value = {FeatureKind::kInt64, static_cast<uint64_t>(cell.integer), {}}; return;
    case SourceValue::Type::kReal: value = {FeatureKind::kDouble, std::bit_cast<uint64_t>(cell.real), {}}; return;
    case SourceValue::Type::kText:
    case SourceValue::Type::kBytes:
      value = {FeatureKind::kBytes, 0, AsBytes(texts_.emplace_back(cell.text))};
      text_bytes_ += cell.text.size();
      return;
  }
}

Result<void> FileRows::Pass(const TakeBatch& take) {
  Result<void> taken = take(batch_);
  batch_.rows = 0;
  for (std::vector<TableValue>& values : batch_.columns) values.clear();
  texts_.clear();
  text_bytes_ = 0;
  return taken;
}

}  // namespace ofindex
