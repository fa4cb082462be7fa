#include "tools/rows/row_writer.h"

#include <algorithm>

#include "base/text.h"
#include "tools/rows/row_value.h"
#include "tools/shell/json.h"
#include "tools/shell/value_text.h"
#include "tools/terminal/text_width.h"

namespace ofindex {
namespace {

constexpr size_t kMaxNameWidth = 40;  // up to which names of columns are aligned, in lines

// Returns `names` for people, right-aligned.
std::vector<std::string> Aligned(const std::vector<std::string>& names) {
  std::vector<std::string> shown;
  size_t width = 0;
  for (const std::string& name : names) {
    shown.push_back(Printable(name));
    width = std::max(width, std::min(ShownWidth(shown.back()), kMaxNameWidth));
  }
  for (std::string& name : shown) name.insert(0, width - std::min(width, ShownWidth(name)), ' ');
  return shown;
}

}  // namespace

RowWriter::RowWriter(RowStyle style, const std::vector<std::string>& columns, Output& out)
    : form_(style.form), columns_(DistinctNames(columns)), out_(out), table_(columns_, style.width) {}

Result<void> RowWriter::Begin() {
  if (form_ == RowForm::kLine) names_ = Aligned(columns_);
  if (form_ == RowForm::kJson) {
    Json columns = Json::array();
    for (const std::string& column : columns_) columns.push_back(JsonText(column));
    return out_.Write(StrCat(R"({"schema":"ofindex.sql/1","columns":)", Dump(columns), ",\"rows\":["));
  }
  if (form_ != RowForm::kCsv) return {};
  for (size_t i = 0; i < columns_.size(); ++i) OFINDEX_TRY(out_.Write((i == 0 ? "" : ",") + CsvField(columns_[i])));
  return out_.Write("\n");
}

Result<void> RowWriter::Row(const SqlRows& rows) {
  const bool first = written_++ == 0;
  switch (form_) {
    case RowForm::kTable: return table_.Row(rows, out_);
    case RowForm::kLine: return LineRow(rows, first);
    case RowForm::kJson:
      if (!first) OFINDEX_TRY(out_.Write(","));
      return JsonRow(rows);
    case RowForm::kJsonLines: OFINDEX_TRY(JsonRow(rows)); return out_.Write("\n");
    case RowForm::kCsv:
    case RowForm::kCsvRows: return CsvRow(rows);
  }
  return {};
}

Result<void> RowWriter::LineRow(const SqlRows& rows, bool first) {
  if (!first) OFINDEX_TRY(out_.Line(""));
  for (size_t i = 0; i < columns_.size(); ++i) {
    OFINDEX_TRY(out_.Line(StrCat(names_[i], " = ", ShownValue(RowValue(rows, i), kUncut))));
  }
  return {};
}

// Writes value by value, since a row can be much longer than each value.
Result<void> RowWriter::JsonRow(const SqlRows& rows) {
  for (size_t i = 0; i < columns_.size(); ++i) {
    OFINDEX_TRY(out_.Write(StrCat(i == 0 ? "{" : ",", Dump(JsonText(columns_[i])), ":")));
    OFINDEX_TRY(out_.Write(Dump(JsonOfValue(RowValue(rows, i)))));
  }
  return out_.Write("}");
}

Result<void> RowWriter::CsvRow(const SqlRows& rows) {
  for (size_t i = 0; i < columns_.size(); ++i) {
    if (i > 0) OFINDEX_TRY(out_.Write(","));
    OFINDEX_TRY(out_.Write(CsvOfValue(RowValue(rows, i))));
  }
  return out_.Write("\n");
}

Result<void> RowWriter::End(bool truncated) {
  if (form_ == RowForm::kTable) return table_.End(out_);
  if (form_ == RowForm::kJson) return out_.Line(StrCat("],\"truncated\":", truncated ? "true}" : "false}"));
  return {};
}

}  // namespace ofindex
