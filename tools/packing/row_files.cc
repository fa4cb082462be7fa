#include "tools/packing/row_files.h"

#include <utility>

#include "base/text.h"
#include "tools/packing/csv_row.h"
#include "tools/packing/json_row.h"

namespace ofindex {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
constexpr size_t kOneRowWindow = size_t{16} << 10;  // read at once where rows are visited here and there

std::string_view WithoutEnd(std::string_view line) {
  if (line.ends_with('\n')) line.remove_suffix(1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

bool IsBlank(std::string_view line) { return line.find_first_not_of(" \t\r\n") == std::string_view::npos; }

// `error`, of the row at `offset`, which is line `line` if that is known.
Error AtRow(const std::string& path, uint64_t offset, uint64_t line, Error error) {
  if (error.code != ErrorCode::kFormat && error.code != ErrorCode::kFeature) return error;
  error.message =
      StrCat(Printable(path), "@", offset, ": ", line == 0 ? "" : StrCat("line ", line, ": "), error.message);
  return error;
}

}  // namespace

Result<RowFiles> RowFiles::Open(const std::vector<std::string>& paths, RowFormat format, Progress& progress) {
  RowFiles rows(format, progress);
  for (const std::string& path : paths) {
    OFINDEX_ASSIGN(RowFile file, rows.OpenOne(path));
    rows.files_.push_back(std::move(file));
  }
  return rows;
}

Result<RowFiles::RowFile> RowFiles::OpenOne(const std::string& path) const {
  OFINDEX_ASSIGN(LineReader lines, LineReader::Open(path));
  RowFile file{std::move(lines), nullptr};
  std::string_view row;
  OFINDEX_ASSIGN(bool any, file.lines.Next(row));
  const uint64_t mark = any && row.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  if (any && row.starts_with("\x1f\x8b")) {
    return Fail(ErrorCode::kFormat, StrCat(Printable(path), "@0: compressed; expected lines of text"),
                "inflate it first");
  }
  file.first_row = mark;
  file.lines.SeekTo(mark, LineReader::kWindowBytes);
  if (format_ == RowFormat::kJsonLines) {
    file.parser = MakeJsonRowParser();
    return file;
  }
  const char separator = format_ == RowFormat::kTsv ? '\t' : ',';
  OFINDEX_ASSIGN(any, NextRow(file.lines, row, file.first_line));
  if (!any) return Fail(ErrorCode::kFormat, StrCat(Printable(path), "@0: empty; expected a row of column names"));
  auto columns = ParseCsvHeader(row, separator);
  if (!columns) return tl::unexpected(AtRow(path, mark, 1, std::move(columns).error()));
  file.parser = MakeCsvRowParser(std::move(*columns), separator);
  file.first_row = file.lines.offset();
  return file;
}

// The next row that is not blank, without its end. `line` is the number of the line at which it would begin, and then
// of the one behind it.
Result<bool> RowFiles::NextRow(LineReader& lines, std::string_view& row, uint64_t& line) const {
  for (;;) {
    OFINDEX_ASSIGN(bool more, lines.Next(row));
    if (!more) return false;
    ++line;
    if (IsBlank(row)) continue;
    if (format_ != RowFormat::kJsonLines && EndsInQuotes(row)) {
      bool open = true;
      for (size_t seen = row.size(); open; seen = row.size()) {
        OFINDEX_ASSIGN(more, lines.Extend(row));
        if (!more) return Fail(ErrorCode::kFormat, "quotes are opened and never closed");
        ++line;
        open = !EndsInQuotes(row.substr(seen));
      }
    }
    row = WithoutEnd(row);
    return true;
  }
}

Result<void> RowFiles::ForEachText(const TakeText& take) {
  for (uint32_t i = 0; i < files_.size(); ++i) {
    RowFile& file = files_[i];
    file.lines.SeekTo(file.first_row, LineReader::kWindowBytes);
    uint64_t line = file.first_line;
    uint64_t reported = file.first_row;
    std::string_view row;
    for (;;) {
      const uint64_t begin = file.lines.offset();
      const uint64_t number = line;
      auto more = NextRow(file.lines, row, line);
      if (!more) return tl::unexpected(AtRow(file.lines.path(), begin, number, std::move(more).error()));
      if (!*more) break;
      OFINDEX_TRY(take(file, row, {i, begin}, number));
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
  return ForEachText([&](RowFile& file, std::string_view row, RowPlace place, uint64_t line) -> Result<void> {
    Result<void> taken = file.parser->Parse(row, visitor);
    if (taken) taken = take(place);
    if (taken) return {};
    return tl::unexpected(AtRow(file.lines.path(), place.offset, line, std::move(taken).error()));
  });
}

Result<void> RowFiles::ForEachPlace(const TakeRow& take) {
  return ForEachText([&](RowFile&, std::string_view, RowPlace place, uint64_t) { return take(place); });
}

Result<void> RowFiles::At(RowPlace place, RowVisitor& visitor, const TakeRow& take) {
  RowFile& file = files_[place.file];
  if (progress_->cancel) return Interrupted();
  file.lines.SeekTo(place.offset, kOneRowWindow);
  std::string_view row;
  uint64_t line = 0;
  OFINDEX_ASSIGN(const bool there, NextRow(file.lines, row, line));
  if (!there) return Fail(ErrorCode::kIo, StrCat(Printable(file.lines.path()), ": changes while it is read"));
  progress_->bytes_done += row.size() + 1;
  Result<void> taken = file.parser->Parse(row, visitor);
  if (taken) taken = take(place);
  if (taken) return {};
  return tl::unexpected(AtRow(file.lines.path(), place.offset, 0, std::move(taken).error()));
}

uint64_t RowFiles::bytes() const {
  uint64_t sum = 0;
  for (const RowFile& file : files_) sum += file.lines.size();
  return sum;
}

}  // namespace ofindex
