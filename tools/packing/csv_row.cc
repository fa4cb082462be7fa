#include "tools/packing/csv_row.h"

#include <csv.h>

#include <algorithm>
#include <deque>
#include <set>
#include <utility>

#include "base/text.h"
#include "tools/packing/pack_schema.h"

namespace ofindex {
namespace {

// Parses one whole row at a time with libcsv's callbacks.
class CsvFields {
 public:
  explicit CsvFields(char separator) : separator_(separator) { Begin(); }
  ~CsvFields() { ::csv_free(&parser_); }
  CsvFields(const CsvFields&) = delete;
  CsvFields& operator=(const CsvFields&) = delete;

  struct Field {
    size_t begin = 0;  // offset in text()
    size_t size = 0;
    bool null = false;
  };

  Result<void> Parse(std::string_view row) {
    if (!ready_) return Fail(ErrorCode::kLimit, "out of memory for the CSV parser");
    fields_.clear();
    text_.clear();
    rows_ = 0;
    const size_t done = ::csv_parse(&parser_, row.data(), row.size(), &OnField, &OnRow, this);
    if (done == row.size() && ::csv_fini(&parser_, &OnField, &OnRow, this) == 0) {
      if (rows_ <= 1) return {};
      return Fail(ErrorCode::kFormat, "a carriage return ends a row in the middle of a line");
    }
    const std::string why = ::csv_strerror(::csv_error(&parser_));
    // Inside quotes, this is the only way to reset the parser to the beginning of a row.
    ::csv_free(&parser_);
    Begin();
    return Fail(ErrorCode::kFormat, StrCat("not valid CSV: ", why, " after ", done,
                                           " bytes of the row; expected quotes around the whole field, "
                                           "and doubled inside"));
  }

  [[nodiscard]] const std::vector<Field>& fields() const { return fields_; }
  [[nodiscard]] std::string_view TextOf(const Field& field) const {
    return std::string_view(text_).substr(field.begin, field.size);
  }

 private:
  void Begin() {
    ready_ = ::csv_init(&parser_, CSV_STRICT | CSV_STRICT_FINI | CSV_EMPTY_IS_NULL) == 0;
    ::csv_set_delim(&parser_, static_cast<unsigned char>(separator_));
    ::csv_set_space_func(&parser_, [](unsigned char) { return 0; });  // blanks are part of the field
  }

  static void OnField(void* data, size_t size, void* self) {
    auto& fields = *static_cast<CsvFields*>(self);
    fields.fields_.push_back({fields.text_.size(), size, data == nullptr});
    if (data != nullptr) fields.text_.append(static_cast<const char*>(data), size);
  }
  static void OnRow(int, void* self) { ++static_cast<CsvFields*>(self)->rows_; }

  char separator_;
  csv_parser parser_{};
  bool ready_ = false;
  std::vector<Field> fields_;
  std::string text_;
  int rows_ = 0;
};

class CsvRowParser : public RowParser {
 public:
  CsvRowParser(std::vector<std::string> columns, char separator) : columns_(std::move(columns)), fields_(separator) {}

  Result<void> Parse(std::string_view row, RowVisitor& visitor) override {
    OFINDEX_TRY(fields_.Parse(row));
    if (fields_.fields().size() != columns_.size()) {
      return Fail(ErrorCode::kFormat, StrCat("expected ", Counted(columns_.size(), "field"),
                                             ", as the header has, got ", fields_.fields().size()));
    }
    for (size_t i = 0; i < columns_.size(); ++i) {
      const CsvFields::Field& field = fields_.fields()[i];
      SourceValue value;
      if (!field.null) value = {.type = SourceValue::Type::kText, .text = fields_.TextOf(field)};
      OFINDEX_TRY(visitor.Value(columns_[i], value, 0));
    }
    return {};
  }

 private:
  std::vector<std::string> columns_;
  CsvFields fields_;
};

}  // namespace

std::unique_ptr<RowParser> MakeCsvRowParser(std::vector<std::string> columns, char separator) {
  return std::make_unique<CsvRowParser>(std::move(columns), separator);
}

Result<std::vector<std::string>> ParseCsvHeader(std::string_view row, char separator, RowNames names) {
  CsvFields fields(separator);
  OFINDEX_TRY(fields.Parse(row));
  std::vector<std::string> columns;
  std::set<std::string> seen;
  for (const CsvFields::Field& field : fields.fields()) {
    columns.emplace_back(fields.TextOf(field));
    if (names == RowNames::kFeatures) {
      OFINDEX_TRY(CheckFeatureName(columns.back(), StrCat("column ", columns.size(), " of the header")));
    }
    if (seen.insert(columns.back()).second) continue;
    return Fail(ErrorCode::kFormat, StrCat("two columns are called '", Printable(columns.back()), "'"));
  }
  return columns;
}

bool EndsInQuotes(std::string_view text) { return std::count(text.begin(), text.end(), '"') % 2 != 0; }

}  // namespace ofindex
