#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tools/packing/source_value.h"

namespace ofindex {

/// Returns a parser of the rows of a CSV file (RFC 4180) with these columns. Each field is a text value, or null if it
/// is empty and not quoted. The parser is strict: a quote in the middle of a field, or more or fewer fields than
/// columns, is an error. Only this file uses libcsv.
[[nodiscard]] std::unique_ptr<RowParser> MakeCsvRowParser(std::vector<std::string> columns, char separator);

/// Parses the fields of a header. Errors: kFormat if the header is malformed, two columns have the same name, or one
/// has a name that is not among `names`.
[[nodiscard]] Result<std::vector<std::string>> ParseCsvHeader(std::string_view row, char separator,
                                                              RowNames names = RowNames::kFeatures);

/// Returns true if a row that begins with `text` ends inside quotes, so that the next line belongs to it too.
[[nodiscard]] bool EndsInQuotes(std::string_view text);

}  // namespace ofindex
