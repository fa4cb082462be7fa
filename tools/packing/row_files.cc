#include "tools/packing/row_files.h"

#include <filesystem>
#include <utility>

#include "base/text.h"
#include "index/finding/missing_paths.h"
#include "tools/packing/csv_row.h"
#include "tools/packing/json_row.h"

namespace ofindex {
namespace {

constexpr uint64_t kRowsBetweenLooks = 256;  // between checks for cancellation: a row may take long
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
constexpr size_t kOneRowWindow = size_t{16} << 10;  // size of each read when rows are visited one by one

std::string_view WithoutEnd(std::string_view line) {
  if (line.ends_with('\n')) line.remove_suffix(1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

bool IsOfRow(const Error& error) { return error.code == ErrorCode::kFormat || error.code == ErrorCode::kFeature; }

// Adds the place of the row at `offset`, line `line`, to `error`.
Error AtRow(const std::string& path, uint64_t offset, uint64_t line, Error error) {
  if (!IsOfRow(error)) return error;
  error.message = StrCat(Printable(path), "@", offset, ": line ", line, ": ", error.message);
  if (!error.hint.empty()) return error;
  error.hint = path == kStandardInputName
                   ? Hint("write the rows to a file, and look at the line there")
                   : Hint(StrCat("`sed -n ", line, "p ", PathWord(path, "FILE"), "` shows the line"));
  return error;
}

// Returns the number of the line that begins at `offset`.
Result<uint64_t> LineAt(LineReader& lines, uint64_t offset) {
  lines.SeekTo(0, LineReader::kWindowBytes);
  uint64_t number = 1;
  std::string_view line;
  while (lines.offset() < offset) {
    OFINDEX_ASSIGN(const bool more, lines.Next(line));
    if (!more) break;
    if (lines.offset() <= offset) ++number;
  }
  return number;
}

}  // namespace

std::optional<RowFormat> RowFormatOf(const std::string& path) {
  const std::string suffix = Folded(std::filesystem::path(path).extension().string());
  if (suffix == ".csv") return RowFormat::kCsv;
  if (suffix == ".tsv") return RowFormat::kTsv;
  if (suffix == ".jsonl" || suffix == ".ndjson" || suffix == ".json") return RowFormat::kJsonLines;
  return std::nullopt;
}

Result<RowFiles> RowFiles::Open(const std::vector<std::string>& paths, RowFormat format, Progress& progress,
                                RowNames names) {
  RowFiles rows(format, progress, names);
  for (const std::string& path : paths) {
    OFINDEX_ASSIGN(LineReader lines, rows.OpenLines(path));
    OFINDEX_ASSIGN(RowFile file, rows.OpenOne(std::move(lines)));
    rows.files_.push_back(std::move(file));
  }
  return rows;
}

Result<RowFiles> RowFiles::OpenStandardInput(Progress& progress) {
  RowFiles rows(RowFormat::kCsv, progress, RowNames::kAny);
  OFINDEX_ASSIGN(LineReader lines, rows.OpenLines(std::string(kStandardInput)));
  std::string_view line;
  for (;;) {
    OFINDEX_ASSIGN(const bool more, lines.Next(line));
    if (!more) break;
    if (line.starts_with(kByteOrderMark)) line.remove_prefix(kByteOrderMark.size());
    const size_t first = line.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) continue;
    if (line.find('\t') != std::string_view::npos) rows.format_ = RowFormat::kTsv;
    if (line[first] == '{') rows.format_ = RowFormat::kJsonLines;
    break;
  }
  lines.SeekTo(0, LineReader::kWindowBytes);
  OFINDEX_ASSIGN(RowFile file, rows.OpenOne(std::move(lines)));
  rows.files_.push_back(std::move(file));
  return rows;
}

Result<LineReader> RowFiles::OpenLines(const std::string& path) const {
  return path == kStandardInput ? LineReader::OpenStandardInput(progress_->cancel) : LineReader::Open(path);
}

Result<RowFiles::RowFile> RowFiles::OpenOne(LineReader lines) const {
  RowFile file{std::move(lines), nullptr};
  std::string_view first;
  OFINDEX_ASSIGN(bool any, file.lines.Next(first));
  const uint64_t mark = any && first.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  if (any && first.starts_with("\x1f\x8b")) {
    return Fail(ErrorCode::kFormat, StrCat(Printable(file.lines.path()), "@0: compressed; expected lines of text"),
                "inflate it first");
  }
  file.first_row = mark;
  file.lines.SeekTo(mark, LineReader::kWindowBytes);
  if (format_ == RowFormat::kJsonLines) {
    file.parser = MakeJsonRowParser(names_);
    return file;
  }
  const char separator = format_ == RowFormat::kTsv ? '\t' : ',';
  Row row;
  OFINDEX_ASSIGN(any, NextRow(file.lines, row, file.first_line));
  if (!any) {
    return Fail(ErrorCode::kFormat, StrCat(Printable(file.lines.path()), "@0: empty; expected a row of column names"),
                "the first row of a CSV file must name the features");
  }
  auto columns = ParseCsvHeader(row.text, separator, names_);
  if (!columns) return tl::unexpected(AtRow(file.lines.path(), row.offset, row.line, std::move(columns).error()));
  file.parser = MakeCsvRowParser(std::move(*columns), separator);
  file.first_row = file.lines.offset();
  return file;
}

// In TSV, a line of tabs is not blank: it is a row of empty fields.
bool RowFiles::IsBlank(std::string_view line) const {
  const std::string_view blanks = format_ == RowFormat::kTsv ? " \r\n" : " \t\r\n";
  return line.find_first_not_of(blanks) == std::string_view::npos;
}

// Reads the next row that is not blank. `line` is the line number at which the row would begin; it is advanced past the
// row. Errors: kFormat, with file, byte and line.
Result<bool> RowFiles::NextRow(LineReader& lines, Row& row, uint64_t& line) const {
  for (;;) {
    row.offset = lines.offset();
    row.line = line;
    OFINDEX_ASSIGN(bool more, lines.Next(row.text));
    if (!more) return false;
    ++line;
    if (IsBlank(row.text)) continue;
    if (format_ != RowFormat::kJsonLines && EndsInQuotes(row.text)) {
      bool open = true;
      for (size_t seen = row.text.size(); open; seen = row.text.size()) {
        OFINDEX_ASSIGN(more, lines.Extend(row.text));
        if (!more) {
          return tl::unexpected(
              AtRow(lines.path(), row.offset, row.line, {ErrorCode::kFormat, "quotes are opened and never closed"}));
        }
        ++line;
        open = !EndsInQuotes(row.text.substr(seen));
      }
    }
    row.text = WithoutEnd(row.text);
    return true;
  }
}

Result<void> RowFiles::ForEachText(const TakeText& take) {
  for (uint32_t i = 0; i < files_.size(); ++i) {
    RowFile& file = files_[i];
    file.lines.SeekTo(file.first_row, LineReader::kWindowBytes);
    uint64_t line = file.first_line;
    uint64_t reported = file.first_row;
    Row row;
    for (uint64_t rows = 1;; ++rows) {
      OFINDEX_ASSIGN(const bool more, NextRow(file.lines, row, line));
      if (!more) break;
      if (rows % kRowsBetweenLooks == 0 && progress_->cancel) return Interrupted();
      line_ = row.line;
      OFINDEX_TRY(take(file, row, {i, row.offset}));
      if (file.lines.offset() - reported < LineReader::kWindowBytes) continue;
      if (progress_->cancel) return Interrupted();
      progress_->bytes_done += file.lines.offset() - reported;
      reported = file.lines.offset();
    }
    progress_->bytes_done += file.lines.offset() - reported;
  }
  return {};
}

Result<void> RowFiles::ForEach(RowVisitor& visitor, const TakeRow& take) {
  return ForEachText([&](RowFile& file, const Row& row, RowPlace place) -> Result<void> {
    Result<void> taken = file.parser->Parse(row.text, visitor);
    if (taken) taken = take(place);
    if (taken) return {};
    if (IsOfRow(taken.error())) OFINDEX_TRY(file.lines.CheckUnchanged());
    return tl::unexpected(AtRow(file.lines.path(), row.offset, row.line, std::move(taken).error()));
  });
}

Result<void> RowFiles::ForEachPlace(const TakeRow& take) {
  return ForEachText([&](RowFile&, const Row&, RowPlace place) { return take(place); });
}

Result<void> RowFiles::At(RowPlace place, RowVisitor& visitor, const TakeRow& take) {
  RowFile& file = files_[place.file];
  if (progress_->cancel) return Interrupted();
  file.lines.SeekTo(place.offset, kOneRowWindow);
  Row row;
  uint64_t line = 1;
  OFINDEX_ASSIGN(const bool there, NextRow(file.lines, row, line));
  if (!there) {
    return Fail(ErrorCode::kIo, StrCat(Printable(file.lines.path()), ": changed while it was read"),
                "pack it when no other process writes to it");
  }
  progress_->bytes_done += row.text.size() + 1;
  Result<void> taken = file.parser->Parse(row.text, visitor);
  if (taken) taken = take(place);
  if (taken || !IsOfRow(taken.error())) return taken;
  OFINDEX_TRY(file.lines.CheckUnchanged());
  OFINDEX_ASSIGN(line, LineAt(file.lines, place.offset));
  return tl::unexpected(AtRow(file.lines.path(), place.offset, line, std::move(taken).error()));
}

Result<void> RowFiles::CheckUnchanged() const {
  for (const RowFile& file : files_) OFINDEX_TRY(file.lines.CheckUnchanged());
  return {};
}

uint64_t RowFiles::bytes() const {
  uint64_t sum = 0;
  for (const RowFile& file : files_) sum += file.lines.size();
  return sum;
}

}  // namespace ofindex
