#include "tools/verbs/row_writer.h"

#include <set>

#include "base/text.h"
#include "tools/shell/json.h"
#include "tools/shell/value_text.h"

namespace ofindex {
namespace {

constexpr size_t kMaxCell = 64;  // characters, in a table

std::vector<std::string> Distinct(const std::vector<std::string>& names) {
  std::vector<std::string> distinct;
  std::set<std::string> taken(names.begin(), names.end());
  std::set<std::string> seen;
  for (const std::string& name : names) {
    distinct.push_back(name);
    if (seen.insert(name).second) continue;
    for (int n = 2; !taken.insert(distinct.back() = StrCat(name, "_", n)).second;) ++n;
  }
  return distinct;
}

// Returns a value of the current row: a float is written as such.
SqlValue ValueAt(const SqlRows& rows, size_t column) {
  SqlValue value = rows.At(column);
  if (rows.holds_floats(column)) value.real = AsFloat(value.real);
  return value;
}

std::vector<std::string> Shown(const std::vector<std::string>& columns) {
  std::vector<std::string> shown;
  for (const std::string& column : columns) shown.push_back(ShownText(column, kMaxCell));
  return shown;
}

}  // namespace

RowWriter::RowWriter(RowForm form, const std::vector<std::string>& columns, Output& out)
    : form_(form), columns_(Distinct(columns)), out_(out), table_(Shown(columns_)) {}

Result<void> RowWriter::Begin() {
  if (form_ == RowForm::kJson) {
    Json columns = Json::array();
    for (const std::string& column : columns_) columns.push_back(JsonText(column));
    return out_.Write(StrCat(R"({"schema":"ofindex.sql/1","columns":)", Dump(columns), ",\"rows\":["));
  }
  if (form_ != RowForm::kCsv) return {};
  for (size_t i = 0; i < columns_.size(); ++i) OFINDEX_TRY(out_.Write((i == 0 ? "" : ",") + CsvField(columns_[i])));
  return out_.Write("\r\n");
}

Result<void> RowWriter::Row(const SqlRows& rows) {
  const bool first = written_++ == 0;
  switch (form_) {
    case RowForm::kTable: {
      std::vector<std::string> cells;
      for (size_t i = 0; i < columns_.size(); ++i) cells.push_back(ShownValue(ValueAt(rows, i), kMaxCell));
      table_.Add(std::move(cells));
      return {};
    }
    case RowForm::kJson:
      if (!first) OFINDEX_TRY(out_.Write(","));
      return JsonRow(rows);
    case RowForm::kJsonLines: OFINDEX_TRY(JsonRow(rows)); return out_.Write("\n");
    case RowForm::kCsv: return CsvRow(rows);
  }
  return {};
}

// Writes value by value, since a row can be much longer than each value.
Result<void> RowWriter::JsonRow(const SqlRows& rows) {
  for (size_t i = 0; i < columns_.size(); ++i) {
    OFINDEX_TRY(out_.Write(StrCat(i == 0 ? "{" : ",", Dump(JsonText(columns_[i])), ":")));
    OFINDEX_TRY(out_.Write(Dump(JsonOfValue(ValueAt(rows, i)))));
  }
  return out_.Write("}");
}

Result<void> RowWriter::CsvRow(const SqlRows& rows) {
  for (size_t i = 0; i < columns_.size(); ++i) {
    if (i > 0) OFINDEX_TRY(out_.Write(","));
    OFINDEX_TRY(out_.Write(CsvOfValue(ValueAt(rows, i))));
  }
  return out_.Write("\r\n");
}

Result<void> RowWriter::End(bool truncated) {
  if (form_ == RowForm::kTable) return table_.Print(out_);
  if (form_ == RowForm::kJson) return out_.Line(StrCat("],\"truncated\":", truncated ? "true}" : "false}"));
  return {};
}

}  // namespace ofindex
