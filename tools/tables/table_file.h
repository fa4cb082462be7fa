#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "tools/packing/row_files.h"
#include "tools/packing/source_value.h"
#include "tools/tables/mostly_numbers.h"

namespace ofindex {

/// Returns the format that --table-format names: csv, tsv or jsonl; nothing if `name` is empty.
[[nodiscard]] std::optional<RowFormat> TableFormatNamed(const std::string& name);

/// A CSV, TSV or JSON lines file as a table: the types of its columns are those that `pack` infers from all rows. A
/// member of a nested JSON object is a column `outer.inner`, and a list is a text: a JSON array. Moves, does not copy;
/// not thread-safe.
class TableFile {
 public:
  struct Column {
    std::string name;
    std::string_view type;   ///< in SQL: INTEGER, REAL or TEXT; empty for values of several types
    bool has_lists = false;  ///< some row has a list
  };

  /// Reads the file once, for its columns. Its format is that of its name: .csv, .tsv, .jsonl, .ndjson or .json; for
  /// any other name, `otherwise`. The path - is standard input, whose format is `otherwise`, or that of its first line.
  /// `progress` must outlive this. Errors: kUsage if the format is not known; kFormat, kFeature, with file, byte and
  /// line; kIo; kInterrupted.
  [[nodiscard]] static Result<TableFile> Open(const std::string& path, std::optional<RowFormat> otherwise,
                                              Progress& progress);

  [[nodiscard]] const std::vector<Column>& columns() const { return columns_; }

  /// Leaves the fields of a column of CSV as texts, even if all are numbers.
  void KeepTexts(size_t column) {
    if (parses_text_) columns_[column].type = "TEXT";
  }

  /// Returns notes for the user who gave this file as `table`: columns of CSV that are text and look like numbers, and
  /// a header that looks like data.
  [[nodiscard]] std::vector<std::string> Notes(const std::string& table) const;

  /// Calls `take` with a value for each column of each row, valid during the call; none is kBoolean. Errors: as Open;
  /// those of `take`.
  using TakeCells = std::function<Result<void>(std::span<const SourceValue>)>;
  [[nodiscard]] Result<void> ForEachRow(const TakeCells& take);

 private:
  TableFile(std::string path, RowFiles rows, bool parses_text)
      : path_(std::move(path)), rows_(std::move(rows)), parses_text_(parses_text) {}

  std::string path_;
  RowFiles rows_;
  bool parses_text_;  // numbers are written as text
  std::vector<Column> columns_;
  MostlyNumbers mostly_numbers_;
};

}  // namespace ofindex
