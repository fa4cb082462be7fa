#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tools/packing/source_value.h"

namespace ofindex {

/// A parser of the rows of a CSV file (RFC 4180) that `columns` name: each field is a text value, and null where it is
/// empty and not quoted. Strict: a quote in the middle of a field, or more or fewer fields than columns, is an error.
/// The one place that knows libcsv.
[[nodiscard]] std::unique_ptr<RowParser> MakeCsvRowParser(std::vector<std::string> columns, char separator);

/// The fields of a header. Errors: kFormat  it is malformed, or two columns have one name.
[[nodiscard]] Result<std::vector<std::string>> ParseCsvHeader(std::string_view row, char separator);

/// True if a row that begins with `text` ends inside quotes, so that the line behind it belongs to it.
[[nodiscard]] bool EndsInQuotes(std::string_view text);

}  // namespace ofindex
