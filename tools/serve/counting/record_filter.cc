#include "tools/serve/counting/record_filter.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include "base/text.h"
#include "query/columns/base64.h"
#include "query/columns/column_affinity.h"
#include "query/columns/find_column.h"
#include "query/columns/value_order.h"
#include "tools/serve/requests/answers.h"

namespace ofindex {
namespace {

using Type = ColumnValue::Type;

constexpr size_t kMaxAlternatives = 1000;  // of one column

tl::unexpected<Error> WrongFilter(std::string_view what, std::string_view expected) {
  return Fail(ErrorCode::kUsage, StrCat("parameter 'filter': ", what, "; expected ", expected),
              "correct the filter in the address of the request");
}

bool HoldsOnlyNumbers(const ColumnStore& store, const Column& column) {
  return (store.kinds(column) & kBytesKind) == 0 && column.origin != Column::Origin::kShard &&
         column.role != ColumnRole::kFormat;
}

// Reads the number that `text` is: an integer if it can be one.
std::optional<ColumnValue> NumberOf(const std::string& text) {
  if (text == "Infinity") return ColumnValue{.type = Type::kReal, .real = HUGE_VAL};
  if (text == "-Infinity") return ColumnValue{.type = Type::kReal, .real = -HUGE_VAL};
  const char* const end = text.data() + text.size();
  ColumnValue value{.type = Type::kInteger};
  if (const auto [stop, error] = std::from_chars(text.data(), end, value.integer); error == std::errc{} && stop == end)
    return value;
  value = {.type = Type::kReal};
  if (const auto [stop, error] = std::from_chars(text.data(), end, value.real); error != std::errc{} || stop != end)
    return std::nullopt;
  if (std::isnan(value.real)) return std::nullopt;
  return value;
}

std::optional<ColumnValue> BytesOf(const Json& json) {
  if (json.size() != 1 || !json.contains("base64") || !json["base64"].is_string()) return std::nullopt;
  std::optional<std::string> bytes = DecodeBase64(json["base64"].get_ref<const std::string&>());
  if (!bytes) return std::nullopt;
  const bool is_text = IsText(AsBytes(*bytes));
  return ColumnValue{.type = is_text ? Type::kText : Type::kBlob, .bytes = std::move(*bytes)};
}

// Returns a value of a filter on `column`; nullopt if `json` is none.
std::optional<ColumnValue> ValueOf(const ColumnStore& store, const Column& column, const Json& json) {
  std::optional<ColumnValue> value;
  if (json.is_number_unsigned() && json.get<uint64_t>() > INT64_MAX) {
    value = ColumnValue{.type = Type::kReal, .real = json.get<double>()};
  } else if (json.is_number_integer()) {
    value = ColumnValue{.type = Type::kInteger, .integer = json.get<int64_t>()};
  } else if (json.is_number_float()) {
    value = ColumnValue{.type = Type::kReal, .real = json.get<double>()};
  } else if (json.is_string() && HoldsOnlyNumbers(store, column)) {
    value = NumberOf(json.get_ref<const std::string&>());
  } else if (json.is_string()) {
    const auto& text = json.get_ref<const std::string&>();
    value = ColumnValue{.type = IsText(AsBytes(text)) ? Type::kText : Type::kBlob, .bytes = text};
  } else if (json.is_object()) {
    value = BytesOf(json);
  }
  if (value && value->type == Type::kReal && !std::isfinite(value->real) && json.is_number()) return std::nullopt;
  return value;
}

// Adds the filters of a document to those of the columns.
class FilterReader {
 public:
  FilterReader(const ColumnStore& store, RecordFilter& filter) : store_(store), filter_(filter) {}

  Result<void> Read(const Json& document) {
    if (!document.is_object()) return WrongFilter("the text is not JSON, or not an object", "an object");
    for (const auto& [name, part] : document.items()) {
      if (name == "where") {
        OFINDEX_TRY(ReadWhere(part));
      } else if (name == "ranges") {
        OFINDEX_TRY(ReadRanges(part));
      } else if (name == "values") {
        OFINDEX_TRY(ReadValues(part));
      } else if (name != "null") {
        return WrongFilter(StrCat("no part '", Printable(name.substr(0, 60)), "'"), "where, ranges, values or null");
      }
    }
    return document.contains("null") ? ReadNulls(document["null"]) : Result<void>();
  }

 private:
  Result<void> ReadWhere(const Json& part) {
    if (!part.is_string()) return WrongFilter("'where' is not a string", "an SQL expression");
    filter_.where = part.get<std::string>();
    if (filter_.where.find_first_not_of(" \t\r\n") == std::string::npos) filter_.where.clear();
    return {};
  }

  Result<Column> FilteredColumn(const std::string& name) const {
    OFINDEX_ASSIGN(Column column, FindColumn(store_, name));
    if (column.is_list()) {
      return WrongFilter(StrCat("column '", Printable(column.name), "' has lists"),
                         "a column of single values; has(list, value) in 'where' finds those in lists");
    }
    return column;
  }

  Result<void> ReadRanges(const Json& part) {
    if (!part.is_object()) return WrongFilter("'ranges' is not an object", "{\"column\": [low, high]}");
    for (const auto& [name, ends] : part.items()) {
      OFINDEX_ASSIGN(Column column, FilteredColumn(name));
      if (!ends.is_array() || ends.size() != 2) {
        return WrongFilter(StrCat("the range of '", Printable(column.name), "' is not two numbers"), "[low, high]");
      }
      ValueFilter range;
      OFINDEX_ASSIGN(range.low.value, EndOf(column, ends[0]));
      OFINDEX_ASSIGN(range.high.value, EndOf(column, ends[1]));
      range.high.open = true;
      filter_.columns.push_back({.column = std::move(column), .filter = std::move(range)});
    }
    return {};
  }

  Result<std::optional<ColumnValue>> EndOf(const Column& column, const Json& json) const {
    if (json.is_null()) return std::optional<ColumnValue>();
    std::optional<ColumnValue> value =
        json.is_string() ? NumberOf(json.get_ref<const std::string&>()) : ValueOf(store_, column, json);
    if (!value || !IsNumber(value->type)) {
      return WrongFilter(StrCat("an end of the range of '", Printable(column.name), "' is not a number"),
                         "a number or null");
    }
    return value;
  }

  Result<void> ReadValues(const Json& part) {
    if (!part.is_object()) return WrongFilter("'values' is not an object", "{\"column\": [value, ...]}");
    for (const auto& [name, listed] : part.items()) {
      OFINDEX_ASSIGN(Column column, FilteredColumn(name));
      if (!listed.is_array() || listed.size() > kMaxAlternatives) {
        return WrongFilter(StrCat("the values of '", Printable(column.name), "' are not a list, or too many"),
                           StrCat("a list of at most ", kMaxAlternatives));
      }
      Constraint in{.op = Op::kIn};
      for (const Json& one : listed) {
        std::optional<ColumnValue> value = ValueOf(store_, column, one);
        if (!value) {
          return WrongFilter(StrCat("a value of '", Printable(column.name), "' has another type"),
                             "numbers, strings or {\"base64\": ...}");
        }
        in.values.push_back(std::move(*value));
        // Floats are told with the digits of floats.
        ColumnValue& last = in.values.back();
        if (last.type == Type::kReal && DeclaredType(store_, column) == kFloatType) {
          last.real = static_cast<double>(static_cast<float>(last.real));
        }
      }
      ValueFilter filter = in.values.empty() ? ValueFilter{.kind = ValueFilter::Kind::kSet} : ValueFilter::Of(in);
      filter_.columns.push_back({.column = std::move(column), .filter = std::move(filter)});
    }
    return {};
  }

  Result<void> ReadNulls(const Json& part) {
    if (!part.is_array() || part.size() > kMaxAlternatives)
      return WrongFilter("'null' is not a list", "[\"column\", ...]");
    for (const Json& name : part) {
      if (!name.is_string()) return WrongFilter("an element of 'null' is not a string", "names of columns");
      OFINDEX_ASSIGN(Column column, FilteredColumn(name.get_ref<const std::string&>()));
      bool found = false;
      for (ColumnFilter& filter : filter_.columns) {
        if (filter.column.number() != column.number()) continue;
        filter.filter.null = true;
        found = true;
      }
      if (found) continue;
      filter_.columns.push_back({.column = std::move(column), .filter = ValueFilter::Of({.op = Op::kIsNull})});
    }
    return {};
  }

  const ColumnStore& store_;
  RecordFilter& filter_;
};

}  // namespace

Result<RecordFilter> ParseRecordFilter(const ColumnStore& store, std::string_view text) {
  RecordFilter filter;
  if (text.empty()) return filter;
  if (text.size() > kMaxFilterBytes)
    return WrongFilter(StrCat(text.size(), " bytes"), StrCat("at most ", kMaxFilterBytes));
  const Json document = Json::parse(text, nullptr, false);
  OFINDEX_TRY(FilterReader(store, filter).Read(document));
  if (!filter.accepts_all()) filter.key = Dump(document);
  return filter;
}

Json JsonOfCategory(const ColumnStore& store, const Column& column, const ColumnValue& value) {
  if (value.type == Type::kReal && DeclaredType(store, column) == kFloatType) return JsonReal(AsFloat(value.real));
  return JsonCell(ViewOf(value), SIZE_MAX);
}

}  // namespace ofindex
