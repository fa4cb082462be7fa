#include "query/attaching/row_matcher.h"

#include <utility>

#include "base/text.h"

namespace ofindex {
namespace {

constexpr size_t kRowsAhead = 16;  // rows whose places are fetched into the cache

void AddReported(uint64_t row, const TableValue& key, uint64_t& count, std::vector<ReportedRow>& first) {
  ++count;
  if (first.size() < AttachReport::kReported) first.push_back({row, ShownKey(key)});
}

}  // namespace

RowMatcher::RowMatcher(const RecordLookup& lookup, const ColumnStore& store, const TableRows& rows, size_t key,
                       std::vector<size_t> columns)
    : lookup_(lookup), store_(store), rows_(rows), key_(key), columns_(std::move(columns)) {
  uint64_t start = 0;
  for (const BlockMetadata& block : store.blocks()) {
    starts_.push_back(start);
    start += block.records;
  }
  has_row_.resize(start);
  values_.reserve(columns_.size());
  for (size_t c = 0; c < columns_.size(); ++c) values_.emplace_back(start);
}

Result<void> RowMatcher::Take(const TableBatch& batch) {
  const std::span<const TableValue> keys = std::span(batch.columns[key_]).first(batch.rows);
  for (size_t i = 0; i < keys.size(); ++i) OFINDEX_TRY(CheckKey(keys[i], counts_.rows + i + 1));
  found_.resize(batch.rows);
  lookup_.Find(keys, found_);
  for (size_t i = 0; i < batch.rows; ++i) {
    if (i + kRowsAhead < batch.rows && found_[i + kRowsAhead].is_record()) {
      for (const RecordValues& values : values_) values.Prefetch(NumberOf(found_[i + kRowsAhead]));
    }
    ++counts_.rows;
    if (found_[i].is_record()) {
      OFINDEX_TRY(TakeRow(batch, i, found_[i]));
    } else {
      AddReported(counts_.rows, keys[i], counts_.rows_without_record, counts_.first_without_record);
    }
  }
  return {};
}

Result<void> RowMatcher::CheckKey(const TableValue& key, uint64_t row) const {
  if (key.kind == FeatureKind::kNone || (lookup_.kinds() & BitOf(key.kind)) != 0 || lookup_.kinds() == 0) return {};
  const std::string example = lookup_.Example();
  return Fail(ErrorCode::kUsage,
              StrCat(Printable(rows_.name()), ": the key of row ", row, " is ", ShownKey(key),
                     ", of another type than those of the records, such as ", example),
              "convert the keys of the table, or name another key");
}

Result<void> RowMatcher::TakeRow(const TableBatch& batch, size_t i, RecordPlace first) {
  if (has_row_[NumberOf(first)]) {
    OFINDEX_TRY(CheckSame(batch, i, NumberOf(first)));
    AddReported(counts_.rows, batch.columns[key_][i], counts_.repeated_rows, counts_.first_repeated);
    return {};
  }
  for (RecordPlace place = first; place.is_record(); place = lookup_.Next(place)) {
    const uint64_t record = NumberOf(place);
    has_row_[record] = true;
    ++counts_.attached_records;
    for (size_t c = 0; c < columns_.size(); ++c) {
      Result<void> set = values_[c].Set(record, batch.columns[columns_[c]][i]);
      if (set) continue;
      Error error = std::move(set).error();
      error.message = StrCat(Printable(rows_.name()), ": row ", counts_.rows, ", column '",
                             Printable(rows_.columns()[columns_[c]]), "': ", error.message);
      return tl::unexpected(std::move(error));
    }
  }
  return {};
}

Result<void> RowMatcher::CheckSame(const TableBatch& batch, size_t i, uint64_t record) const {
  for (size_t c = 0; c < columns_.size(); ++c) {
    const TableValue& value = batch.columns[columns_[c]][i];
    if (values_[c].Has(record, value)) continue;
    return Fail(ErrorCode::kFormat,
                StrCat(Printable(rows_.name()), ": row ", counts_.rows, " repeats the key ",
                       ShownKey(batch.columns[key_][i]), " of an earlier row, with another value of column '",
                       Printable(rows_.columns()[columns_[c]]), "': ", ShownKey(value)),
                "keep one row for each key");
  }
  return {};
}

void RowMatcher::Report(AttachReport& report) const {
  report.rows = counts_.rows;
  report.records = has_row_.size();
  report.attached_records = counts_.attached_records;
  report.rows_without_record = counts_.rows_without_record;
  report.first_without_record = counts_.first_without_record;
  report.repeated_rows = counts_.repeated_rows;
  report.first_repeated = counts_.first_repeated;
  for (size_t block = 0; block < starts_.size(); ++block) {
    const BlockMetadata& metadata = store_.blocks()[block];
    for (uint32_t r = 0; r < metadata.records; ++r) {
      if (report.first_records_without_row.size() == AttachReport::kReported) return;
      if (!has_row_[starts_[block] + r]) report.first_records_without_row.push_back(metadata.first_record + r);
    }
  }
}

}  // namespace ofindex
