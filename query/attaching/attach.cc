#include "query/attaching/attach.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "base/allocation.h"
#include "base/file.h"
#include "base/nearest_names.h"
#include "base/text.h"
#include "query/attaching/record_keys.h"
#include "query/attaching/row_matcher.h"
#include "query/columns/attached_columns.h"

namespace ofindex {
namespace {

constexpr size_t kMaxTableColumns = 2000;  // of `records`, in SQLite

/// One attempt to attach a table.
class Attaching {
 public:
  Attaching(const Dataset& dataset, const AttachRequest& request, TableRows& rows, Progress& progress)
      : dataset_(dataset), request_(request), rows_(rows), progress_(progress) {}

  Result<AttachReport> Run() {
    OFINDEX_TRY(ChooseColumns());
    OFINDEX_ASSIGN(AttachmentUpdate update, AttachmentUpdate::Begin(*dataset_.snapshot(), request_.target, progress_));
    OFINDEX_ASSIGN(catalog_, dataset_.snapshot()->Catalog());
    OFINDEX_ASSIGN(index_, AttachedIndexOf(*dataset_.snapshot()->index(), *catalog_));
    if (update.old()) {
      OFINDEX_TRY(update.old()->CheckBelongs(dataset_.index_path(), index_.generations, index_.blocks));
    }
    OFINDEX_ASSIGN(store_, dataset_.snapshot()->Columns());
    OFINDEX_TRY(CheckNewNames(update.old().get()));
    OFINDEX_ASSIGN(const std::unique_ptr<RecordLookup> lookup, LookupBy(request_.key, dataset_, *store_, progress_));
    if ((lookup->kinds() & kBytesKind) != 0) rows_.KeepTexts(key_);
    RowMatcher matcher(*lookup, *store_, rows_, key_, columns_);
    OFINDEX_TRY(rows_.ForEachBatch([&](const TableBatch& batch) -> Result<void> {
      if (progress_.cancel) return Interrupted();
      progress_.records_done.fetch_add(batch.rows, std::memory_order_relaxed);
      return matcher.Take(batch);
    }));
    AttachReport report{.file = update.path(), .columns = names_};
    matcher.Report(report);
    OFINDEX_TRY(CheckMatched(report, *lookup));
    OFINDEX_TRY(Write(update, matcher));
    OFINDEX_TRY(update.Publish());
    if (const auto facts = StatFile(update.path())) report.file_bytes = facts->size;
    return report;
  }

 private:
  [[nodiscard]] const std::string& table_key() const {
    return request_.table_key.empty() ? request_.key : request_.table_key;
  }

  Result<size_t> ColumnNamed(const std::string& name) const {
    const auto found = std::find(rows_.columns().begin(), rows_.columns().end(), name);
    if (found != rows_.columns().end()) return static_cast<size_t>(found - rows_.columns().begin());
    std::string message = StrCat(Printable(rows_.name()), ": there is no column '", Printable(name), "'");
    const std::string meant = DidYouMean(NearestNames(name, rows_.columns()), "'");
    if (!meant.empty()) message += "; " + meant;
    std::string known;
    for (const std::string& column : rows_.columns()) known += StrCat(known.empty() ? "" : ", ", Printable(column));
    return Fail(ErrorCode::kUsage, std::move(message), StrCat("its columns are ", known));
  }

  Result<void> ChooseColumns() {
    OFINDEX_ASSIGN(key_, ColumnNamed(table_key()));
    for (const std::string& name : request_.columns) {
      OFINDEX_ASSIGN(columns_.emplace_back(), ColumnNamed(name));
    }
    for (size_t c = 0; request_.columns.empty() && c < rows_.columns().size(); ++c) {
      if (c != key_) columns_.push_back(c);
    }
    if (columns_.empty()) {
      return Fail(ErrorCode::kUsage,
                  StrCat(Printable(rows_.name()), ": expected a column besides the key '", Printable(table_key()), "'"),
                  "add a column to the table");
    }
    for (const size_t column : columns_) {
      OFINDEX_TRY(rows_.CheckColumn(column));
      names_.push_back(request_.prefix + rows_.columns()[column]);
    }
    return {};
  }

  // The names must be those of no column of the index, and of no attached one unless it is replaced.
  Result<void> CheckNewNames(const AttachmentFile* old) {
    std::map<std::string, std::string> taken;  // what has the name
    for (const Column& column : store_->columns()) taken.emplace(Folded(column.name), "a column of the index");
    for (const FeatureRow& row : store_->features()) {
      if (row.origin.empty()) taken.emplace(Folded(row.name), "a feature");
      if (!row.origin.empty()) taken[Folded(row.name)] = StrCat("a column that was ", row.origin);
    }
    std::set<std::string> own;
    for (size_t c = 0; old != nullptr && c < old->columns().size(); ++c) {
      const AttachedColumn& column = old->columns()[c];
      own.insert(Folded(column.name));
      taken[Folded(column.name)] = column.origin.Text();
    }
    std::set<std::string> seen;
    for (const std::string& name : names_) {
      const std::string folded = Folded(name);
      if (name.empty() || !IsUtf8(name) || HasControl(name)) {
        return Fail(ErrorCode::kUsage,
                    StrCat(Printable(rows_.name()), ": '", Printable(name), "' cannot be the name of a column"),
                    "rename the column of the table, or choose others with --columns");
      }
      if (!seen.insert(folded).second) {
        return Fail(ErrorCode::kUsage,
                    StrCat(Printable(rows_.name()), ": two columns have the name '", Printable(name),
                           "', upper and lower case being the same"),
                    "name the columns to attach with --columns");
      }
      const auto found = taken.find(folded);
      if (found == taken.end() || (own.contains(folded) && request_.replace)) continue;
      if (own.contains(folded)) {
        return Fail(ErrorCode::kUsage, StrCat("column '", Printable(name), "' is ", found->second, " already"),
                    "replace it with --replace, drop it with `ofindex detach INDEX NAME`, or name the new one with "
                    "--as PREFIX");
      }
      return Fail(ErrorCode::kUsage, StrCat("'", Printable(name), "' is the name of ", found->second),
                  "put a prefix before the names of the table's columns with --as PREFIX");
    }
    if (store_->columns().size() + names_.size() <= kMaxTableColumns) return {};
    return Fail(ErrorCode::kLimit,
                StrCat("the records would have ", FormatCount(store_->columns().size() + names_.size()),
                       " columns; expected at most ", FormatCount(kMaxTableColumns)),
                "name the columns to attach with --columns");
  }

  // A table that matches nothing is the wrong one, or its keys are written in another way.
  Result<void> CheckMatched(const AttachReport& report, const RecordLookup& lookup) const {
    if (report.attached_records != 0) return {};
    std::string message =
        StrCat(Printable(rows_.name()), ": none of its ", Counted(report.rows, "row"), " has the key of a record");
    const std::string example = lookup.Example();
    if (!report.first_without_record.empty() && !example.empty()) {
      message += StrCat("; the table has ", report.first_without_record.front().key, ", the records have ", example);
    }
    return Fail(ErrorCode::kUsage, std::move(message), "write the keys as the records have them, or name another key");
  }

  Result<void> Write(const AttachmentUpdate& update, RowMatcher& matcher) {
    OFINDEX_ASSIGN(AttachmentWriter writer, update.Write(index_.generations.back(), index_.blocks));
    std::set<std::string> replaced;
    for (const std::string& name : names_) replaced.insert(Folded(name));
    for (size_t c = 0; update.old() && c < update.old()->columns().size(); ++c) {
      const AttachedColumn& column = update.old()->columns()[c];
      if (!replaced.contains(Folded(column.name))) OFINDEX_TRY(writer.CopyColumn(*update.old(), column));
    }
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    const int64_t seconds = std::chrono::duration_cast<std::chrono::seconds>(now).count();
    for (size_t c = 0; c < names_.size(); ++c) {
      AttachedColumn column{.name = names_[c], .origin = {rows_.name(), request_.key, seconds}};
      OFINDEX_TRY(WriteColumn(writer, matcher.values(c), std::move(column)));
    }
    return writer.Finish();
  }

  Result<void> WriteColumn(AttachmentWriter& writer, RecordValues& values, AttachedColumn column) {
    writer.BeginColumn(column);
    uint64_t first = 0;
    for (const BlockMetadata& block : store_->blocks()) {
      if (progress_.cancel) return Interrupted();
      OFINDEX_ASSIGN(ChunkRow chunk, values.Encode(first, block.records, column));
      chunk.block = block.number;
      first += block.records;
      if (!chunk.data.empty()) OFINDEX_TRY(writer.AddChunk(std::move(chunk)));
    }
    writer.EndColumn(column);
    return {};
  }

  const Dataset& dataset_;
  const AttachRequest& request_;
  TableRows& rows_;
  Progress& progress_;
  size_t key_ = 0;
  std::vector<size_t> columns_;     // of the table, that are attached
  std::vector<std::string> names_;  // in SQL
  std::shared_ptr<SharedCatalog> catalog_;
  AttachedIndex index_;
  std::shared_ptr<ColumnStore> store_;
};

}  // namespace

Result<AttachReport> Attach(const Dataset& dataset, const AttachRequest& request, TableRows& rows, Progress& progress) {
  return WithMemory("the attached columns", [&] { return Attaching(dataset, request, rows, progress).Run(); });
}

}  // namespace ofindex
