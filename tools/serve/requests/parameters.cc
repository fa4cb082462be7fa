#include "tools/serve/requests/parameters.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"

namespace ofindex {
namespace {

bool IsAmong(std::initializer_list<std::string_view> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Parameters may be of any length.
std::string Shortened(std::string_view text) {
  constexpr size_t kShown = 60;
  return text.size() <= kShown ? Printable(text) : StrCat(Printable(text.substr(0, kShown)), "...");
}

tl::unexpected<Error> Wrong(std::string_view name, const std::string& expected, std::string_view got) {
  return Fail(ErrorCode::kUsage, StrCat("parameter '", name, "': expected ", expected, ", got '", Shortened(got), "'"),
              "correct the address of the request");
}

Result<uint64_t> NumberIn(std::string_view name, const std::string& text, uint64_t max) {
  uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error == std::errc{} && stop == end && number <= max) return number;
  return Wrong(name, StrCat("a whole number of at most ", max), text);
}

}  // namespace

Result<Parameters> Parameters::Of(const Request& request, std::initializer_list<std::string_view> known,
                                  std::initializer_list<std::string_view> lists) {
  size_t listed = 0;
  for (size_t i = 0; i < request.parameters.size(); ++i) {
    const std::string& name = request.parameters[i].first;
    const bool is_list = IsAmong(lists, name);
    if (!is_list && !IsAmong(known, name)) {
      return Fail(ErrorCode::kUsage, StrCat("'", Printable(request.path), "' has no parameter '", Shortened(name), "'"),
                  "correct the address of the request");
    }
    const auto same = [&](const auto& other) { return other.first == name; };
    const auto end = request.parameters.begin() + static_cast<std::ptrdiff_t>(i);
    listed += is_list ? 1 : 0;
    if ((!is_list && std::any_of(request.parameters.begin(), end, same)) || listed > kMaxListed) {
      return Fail(ErrorCode::kUsage,
                  StrCat("parameter '", Shortened(name), "' is repeated; expected at most ", is_list ? kMaxListed : 1),
                  "correct the address of the request");
    }
  }
  return Parameters(request);
}

const std::string* Parameters::Find(std::string_view name) const {
  for (const auto& [given, value] : request_->parameters) {
    if (given == name) return &value;
  }
  return nullptr;
}

const std::string& Parameters::Text(std::string_view name) const {
  static const std::string kNone;
  const std::string* const found = Find(name);
  return found == nullptr ? kNone : *found;
}

std::vector<std::string> Parameters::All(std::string_view name) const {
  std::vector<std::string> values;
  for (const auto& [given, value] : request_->parameters) {
    if (given == name) values.push_back(value);
  }
  return values;
}

Result<uint64_t> Parameters::Number(std::string_view name, uint64_t otherwise, uint64_t max) const {
  const std::string* const text = Find(name);
  if (text == nullptr || text->empty()) return otherwise;
  return NumberIn(name, *text, max);
}

Result<std::vector<uint64_t>> Parameters::Numbers(std::string_view name, uint64_t max) const {
  std::vector<uint64_t> numbers;
  for (const std::string& text : All(name)) {
    OFINDEX_ASSIGN(const uint64_t number, NumberIn(name, text, max));
    numbers.push_back(number);
  }
  return numbers;
}

Result<uint64_t> Parameters::RequiredNumber(std::string_view name, uint64_t max) const {
  if (Text(name).empty()) return Wrong(name, StrCat("a whole number of at most ", max), "");
  return Number(name, 0, max);
}

Result<std::string> Parameters::Word(std::string_view name, std::string_view otherwise,
                                     std::initializer_list<std::string_view> words) const {
  const std::string* const text = Find(name);
  if (text == nullptr || text->empty()) return std::string(otherwise);
  if (IsAmong(words, *text)) return *text;
  std::string expected;
  for (const std::string_view word : words) expected += StrCat(expected.empty() ? "'" : ", '", word, "'");
  return Wrong(name, expected, *text);
}

}  // namespace ofindex
