#include "tools/tables/table_file.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "base/text.h"
#include "tools/packing/schema_inference.h"
#include "tools/packing/text_numbers.h"
#include "tools/shell/json.h"
#include "tools/shell/value_text.h"

namespace ofindex {
namespace {

constexpr size_t kMaxColumns = 2000;  // SQLITE_MAX_COLUMN, unless SQLite was built with another one
constexpr size_t kMaxNameShown = 32;  // characters
constexpr size_t kMaxNamesEchoed = 8;
constexpr char kTableChangedHint[] = "run it again when no other program writes to the file";

Result<RowFormat> FormatOfTable(const std::string& path, std::optional<RowFormat> otherwise) {
  if (const std::optional<RowFormat> format = RowFormatOf(path)) return *format;
  if (otherwise) return *otherwise;
  return Fail(ErrorCode::kUsage,
              StrCat(Printable(path), ": expected a name that ends in .csv, .tsv, .jsonl, .ndjson or .json"),
              "give the format with --table-format csv, tsv or jsonl");
}

Result<RowFiles> OpenRows(const std::string& path, std::optional<RowFormat> otherwise, Progress& progress) {
  if (path == kStandardInput && !otherwise) return RowFiles::OpenStandardInput(progress);
  OFINDEX_ASSIGN(const RowFormat format, FormatOfTable(path, otherwise));
  return RowFiles::Open({path}, format, progress, RowNames::kAny);
}

// Infers types, and notes which columns have lists in some row.
class ColumnInference : public RowVisitor {
 public:
  // Errors name the file `path`. `rows` and `mostly_numbers` must outlive this.
  ColumnInference(std::string path, SchemaInference::Text text, const RowFiles& rows, MostlyNumbers& mostly_numbers)
      : path_(std::move(path)),
        inference_(text),
        rows_(rows),
        mostly_numbers_(text == SchemaInference::Text::kMayBeNumber ? &mostly_numbers : nullptr) {}

  // Elements may be of any type.
  Result<void> List(std::string_view name, int) override {
    OFINDEX_TRY(AddName(name));
    lists_.emplace(name);
    return inference_.List(name, 0);
  }

  Result<void> Value(std::string_view name, const SourceValue& value, int depth) override {
    if (depth > 0) return List(name, 0);
    if (mostly_numbers_ != nullptr && !value.text.empty()) mostly_numbers_->Add(name, value.text, rows_.line());
    OFINDEX_TRY(AddName(name));
    Result<void> taken = inference_.Value(name, value, depth);
    if (taken || taken.error().code != ErrorCode::kFeature) return taken;
    Error error = std::move(taken).error();
    error.hint = "make the values of the column of one type";
    return tl::unexpected(std::move(error));
  }

  [[nodiscard]] std::vector<TableFile::Column> Columns() const {
    std::vector<TableFile::Column> columns;
    for (const PackFeature& feature : inference_.Schema().features) {
      const bool has_lists = lists_.contains(feature.name);
      columns.push_back({feature.name, has_lists ? "" : TypeIn(feature.type), has_lists});
    }
    return columns;
  }

 private:
  Result<void> AddName(std::string_view name) {
    const size_t column = names_.Add(name);
    if (column < kMaxColumns) return {};
    return Fail(ErrorCode::kLimit,
                StrCat(path_, ": '", Printable(name), "' is column ", FormatCount(column + 1), "; expected at most ",
                       FormatCount(kMaxColumns), " columns"),
                "leave out columns, for example with `cut`");
  }

  static std::string_view TypeIn(std::optional<SourceType> type) {
    switch (type.value_or(SourceType::kBytes)) {
      case SourceType::kBoolean:
      case SourceType::kLong: return "INTEGER";
      case SourceType::kDouble: return "REAL";
      case SourceType::kString: return "TEXT";
      default: return "";
    }
  }

  std::string path_;
  SchemaInference inference_;
  FeatureNames names_;
  const RowFiles& rows_;
  MostlyNumbers* mostly_numbers_;  // of CSV
  std::set<std::string, std::less<>> lists_;
};

// Collects the cells of one row.
class RowCells : public RowVisitor {
 public:
  RowCells(const std::vector<TableFile::Column>& columns, bool parses_text)
      : columns_(columns), parses_text_(parses_text), cells_(columns.size()), lists_(columns.size()) {
    for (const TableFile::Column& column : columns) names_.Add(column.name);
  }

  void Clear() {
    for (SourceValue& cell : cells_) cell = {};
    for (Json& list : lists_) list = nullptr;
  }

  Result<void> List(std::string_view name, int) override {
    OFINDEX_ASSIGN(const size_t column, ColumnOf(name));
    if (!lists_[column].is_array()) lists_[column] = Json::array();
    return {};
  }

  Result<void> Value(std::string_view name, const SourceValue& value, int depth) override {
    OFINDEX_ASSIGN(const size_t column, ColumnOf(name));
    if (depth > 0) {
      lists_[column].push_back(JsonIn(value));
      return {};
    }
    const bool is_text = parses_text_ && value.type == SourceValue::Type::kText;
    OFINDEX_ASSIGN(cells_[column], is_text ? Typed(column, value) : Number(value));
    return {};
  }

  // Returns the cells, with lists as texts.
  std::span<const SourceValue> Finish() {
    texts_.clear();
    texts_.reserve(cells_.size());
    for (size_t i = 0; i < cells_.size(); ++i) {
      if (!lists_[i].is_array()) continue;
      texts_.push_back(Dump(lists_[i]));
      cells_[i] = {.type = SourceValue::Type::kText, .text = texts_.back()};
    }
    return cells_;
  }

 private:
  Result<size_t> ColumnOf(std::string_view name) {
    const size_t column = names_.Add(name);
    if (column < cells_.size()) return column;
    return Fail(ErrorCode::kIo, StrCat("column '", Printable(name), "' is new: the file changed while it was read"),
                kTableChangedHint);
  }

  static Result<SourceValue> Number(SourceValue value) {
    if (value.type == SourceValue::Type::kBoolean) value.type = SourceValue::Type::kInteger;
    return value;
  }

  // Returns a text of CSV as the type of its column.
  [[nodiscard]] Result<SourceValue> Typed(size_t column, const SourceValue& value) const {
    const std::string_view type = columns_[column].type;
    if (type != "INTEGER" && type != "REAL") return value;
    if (value.text.empty()) return SourceValue();
    if (const auto whole = ParseWhole(value.text)) return SourceValue{SourceValue::Type::kInteger, *whole};
    if (const auto truth = ParseBoolean(value.text)) return SourceValue{SourceValue::Type::kInteger, *truth ? 1 : 0};
    if (const auto real = ParseReal(value.text)) return SourceValue{.type = SourceValue::Type::kReal, .real = *real};
    return Fail(ErrorCode::kIo,
                StrCat("column '", Printable(columns_[column].name), "': the file changed while it was read"),
                kTableChangedHint);
  }

  static Json JsonIn(const SourceValue& value) {
    switch (value.type) {
      case SourceValue::Type::kNull: return nullptr;
      case SourceValue::Type::kBoolean: return value.integer != 0;
      case SourceValue::Type::kInteger: return value.integer;
      case SourceValue::Type::kReal: return JsonReal(value.real);
      case SourceValue::Type::kText:
      case SourceValue::Type::kBytes: return JsonBytes(AsBytes(value.text));
    }
    return nullptr;
  }

  const std::vector<TableFile::Column>& columns_;
  const bool parses_text_;
  FeatureNames names_;
  std::vector<SourceValue> cells_;
  std::vector<Json> lists_;         // by column; null unless the row has a list
  std::vector<std::string> texts_;  // of lists
};

// Returns the command that writes a header of as many names as there are `columns`.
std::string HeaderCommand(size_t columns, bool is_tsv) {
  if (columns == 1) return "echo _id";
  if (columns > kMaxNamesEchoed) return StrCat("seq -f c%g ", columns, is_tsv ? " | paste -s -" : " | paste -sd, -");
  std::string names = "c1";
  for (size_t i = 2; i <= columns; ++i) names += StrCat(is_tsv ? "\\t" : ",", "c", i);
  return is_tsv ? StrCat("printf '", names, "\\n'") : StrCat("echo ", names);
}

}  // namespace

std::optional<RowFormat> TableFormatNamed(const std::string& name) {
  if (name.empty()) return std::nullopt;
  return name == "csv" ? RowFormat::kCsv : name == "tsv" ? RowFormat::kTsv : RowFormat::kJsonLines;
}

Result<TableFile> TableFile::Open(const std::string& path, std::optional<RowFormat> otherwise, Progress& progress) {
  OFINDEX_ASSIGN(RowFiles rows, OpenRows(path, otherwise, progress));
  const RowFormat format = rows.format();
  TableFile file(path, std::move(rows), format != RowFormat::kJsonLines);
  const std::string shown = path == kStandardInput ? std::string(kStandardInputName) : Printable(path);
  const auto text = file.parses_text_ ? SchemaInference::Text::kMayBeNumber : SchemaInference::Text::kIsText;
  ColumnInference inference(shown, text, file.rows_, file.mostly_numbers_);
  OFINDEX_TRY(file.rows_.ForEach(inference, [](RowPlace) -> Result<void> { return {}; }));
  file.columns_ = inference.Columns();
  if (!file.columns_.empty()) return file;
  return Fail(ErrorCode::kFormat, StrCat(shown, "@0: expected at least one row, from which to know columns"),
              "leave out the table, or add a row");
}

std::vector<std::string> TableFile::Notes(const std::string& table) const {
  std::vector<std::string> notes = mostly_numbers_.Notes(table);
  const bool may_be_row = parses_text_ && std::all_of(columns_.begin(), columns_.end(), [](const Column& column) {
                            return ParseReal(column.name).has_value();
                          });
  if (!may_be_row) return notes;
  const bool is_tsv = rows_.format() == RowFormat::kTsv;
  notes.push_back(StrCat("note: table ", table, ": the first line names the columns, but has numbers only, such as '",
                         ShownText(columns_.front().name, kMaxNameShown), "'; if it is a row, put names before it: { ",
                         HeaderCommand(columns_.size(), is_tsv), "; cat -- ",
                         path_ == kStandardInput ? "FILE" : ShellWord(path_), "; } | ofindex sql ... --table ", table,
                         "=-", is_tsv ? " --table-format tsv" : ""));
  return notes;
}

Result<void> TableFile::ForEachRow(const TakeCells& take) {
  RowCells cells(columns_, parses_text_);
  const auto take_row = [&](RowPlace) {
    Result<void> taken = take(cells.Finish());
    cells.Clear();
    return taken;
  };
  OFINDEX_TRY(rows_.ForEach(cells, take_row));
  return rows_.CheckUnchanged();
}

}  // namespace ofindex
