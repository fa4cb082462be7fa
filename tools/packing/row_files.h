#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "tools/packing/line_reader.h"
#include "tools/packing/source_value.h"

namespace ofindex {

enum class RowFormat { kJsonLines, kCsv, kTsv };

/// Returns the format that the end of a name implies, in lower or upper case: .csv, .tsv, .jsonl, .ndjson or .json.
/// Returns nothing for other names.
[[nodiscard]] std::optional<RowFormat> RowFormatOf(const std::string& path);

/// The place of a row, for error messages and for reading it again. 16 bytes; a shuffle keeps one per row.
struct RowPlace {
  uint32_t file = 0;
  uint64_t offset = 0;
};

/// The rows of several files of one format, in order or by place. Blank lines are not rows; the first row of a CSV file
/// names its columns. Not thread-safe.
class RowFiles {
 public:
  /// Opens all files. `progress` must outlive this. Errors: kIo; kFormat if a header is malformed.
  [[nodiscard]] static Result<RowFiles> Open(const std::vector<std::string>& paths, RowFormat format,
                                             Progress& progress, RowNames names = RowNames::kFeatures);

  /// Opens standard input, for rows with any names. Its format is that of its first line that is not blank: JSON lines
  /// if it begins with {, else TSV if it has a tab, else CSV. Errors: as Open.
  [[nodiscard]] static Result<RowFiles> OpenStandardInput(Progress& progress);

  [[nodiscard]] RowFormat format() const { return format_; }

  using TakeRow = std::function<Result<void>(RowPlace)>;

  /// Passes every row to `visitor`, and calls `take` after each. Errors: those of reading, of the visitor and of
  /// `take`, with file, byte and line; kIo also if a file has changed since it was opened; kInterrupted.
  [[nodiscard]] Result<void> ForEach(RowVisitor& visitor, const TakeRow& take);

  /// Returns the line at which the row begins that ForEach() passes at present.
  [[nodiscard]] uint64_t line() const { return line_; }

  /// Calls `take` for every row, without parsing it. Errors: as ForEach.
  [[nodiscard]] Result<void> ForEachPlace(const TakeRow& take);

  /// Passes the row at `place` to `visitor`, and calls `take`. Errors: as ForEach.
  [[nodiscard]] Result<void> At(RowPlace place, RowVisitor& visitor, const TakeRow& take);

  /// Errors: kIo if a file has changed since it was opened.
  [[nodiscard]] Result<void> CheckUnchanged() const;

  /// Returns the size of all files in bytes.
  [[nodiscard]] uint64_t bytes() const;

 private:
  struct RowFile {
    LineReader lines;
    std::unique_ptr<RowParser> parser;
    uint64_t first_row = 0;   // where the first row begins: after a header and a byte order mark
    uint64_t first_line = 1;  // its line number
  };

  RowFiles(RowFormat format, Progress& progress, RowNames names)
      : format_(format), names_(names), progress_(&progress) {}

  [[nodiscard]] Result<LineReader> OpenLines(const std::string& path) const;
  [[nodiscard]] Result<RowFile> OpenOne(LineReader lines) const;
  struct Row {
    std::string_view text;  // without its newline
    uint64_t offset = 0;
    uint64_t line = 0;
  };
  [[nodiscard]] bool IsBlank(std::string_view line) const;
  [[nodiscard]] Result<bool> NextRow(LineReader& lines, Row& row, uint64_t& line) const;
  using TakeText = std::function<Result<void>(RowFile& file, const Row& row, RowPlace place)>;
  [[nodiscard]] Result<void> ForEachText(const TakeText& take);

  RowFormat format_;
  RowNames names_;
  Progress* progress_;
  std::vector<RowFile> files_;
  uint64_t line_ = 0;
};

}  // namespace ofindex
