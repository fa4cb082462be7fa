#include "tools/tables/mostly_numbers.h"

#include "base/nearest_names.h"
#include "base/text.h"
#include "tools/packing/text_numbers.h"
#include "tools/shell/value_text.h"

namespace ofindex {
namespace {

constexpr size_t kMaxShown = 32;  // characters

// Returns whether a column of numbers may have `text`: no whole number beyond 64 bits, as SchemaInference.
bool IsNumber(std::string_view text) {
  return ParseWhole(text) || (ParseReal(text) && text.find_first_not_of("-0123456789") != std::string_view::npos);
}

// Returns whether `text` is a code such as 007, a date or a time.
bool IsCode(std::string_view text) {
  return text.find_first_not_of("0123456789+-.:/ ") == std::string_view::npos &&
         text.find_first_of("0123456789") != std::string_view::npos;
}

}  // namespace

void MostlyNumbers::Add(std::string_view column, std::string_view value, uint64_t line) {
  const size_t number = names_.Add(column);
  if (number == values_.size()) values_.emplace_back();
  Values& values = values_[number];
  if (IsNumber(value)) {
    ++values.numbers;
    return;
  }
  values.is_code = values.is_code || IsCode(value);
  if (values.others++ == 0) {
    values.line = line;
    values.first = value.substr(0, kMaxShown);
  }
  values.has_others = values.has_others || value != values.first;
}

std::vector<std::string> MostlyNumbers::Notes(std::string_view table) const {
  std::vector<std::string> notes;
  for (size_t i = 0; i < values_.size(); ++i) {
    const Values& values = values_[i];
    if (values.others == 0 || values.numbers <= values.others || values.is_code) continue;
    const std::string name = Quoted(names_[i], '"');
    std::string note = StrCat("note: table ", table, ": column ", Printable(name),
                              " is text, not numbers, because of '", ShownText(values.first, kMaxShown), "' in line ",
                              values.line, "; leave such fields empty, which is NULL");
    if (!values.has_others) {
      note += StrCat(", or use CAST(NULLIF(", Printable(name), ", ", Printable(Quoted(values.first, '\'')),
                     ") AS NUMERIC)");
    }
    notes.push_back(std::move(note));
  }
  return notes;
}

}  // namespace ofindex
