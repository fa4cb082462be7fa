#include "tools/packing/json_row.h"

#include <simdjson.h>

#include <deque>
#include <string>
#include <utility>

#include "base/text.h"
#include "query/columns/base64.h"
#include "tools/packing/pack_schema.h"

namespace ofindex {
namespace {

namespace dom = simdjson::dom;

static_assert(simdjson::SIMDJSON_PADDING <= 64, "64 bytes of padding follow each row");

class JsonRowParser : public RowParser {
 public:
  explicit JsonRowParser(RowNames names) : names_(names) {}

  Result<void> Parse(std::string_view row, RowVisitor& visitor) override {
    dom::element element;
    // The bytes after the row serve as simdjson's padding.
    if (const auto error = parser_.parse(row.data(), row.size(), false).get(element); error != simdjson::SUCCESS) {
      if (error == simdjson::NUMBER_ERROR) {
        return Fail(ErrorCode::kFormat, "a number that is no JSON, or that no type of 64 bits holds");
      }
      return Fail(ErrorCode::kFormat, StrCat("no JSON: ", simdjson::error_message(error)));
    }
    dom::object object;
    if (element.get(object) != simdjson::SUCCESS) {
      return Fail(ErrorCode::kFormat, "expected one JSON object per line");
    }
    visitor_ = &visitor;
    decoded_.clear();
    name_.clear();
    return Members(object, 0);
  }

 private:
  Result<void> Members(const dom::object& object, int depth) {
    const size_t outer = name_.size();
    for (const auto member : object) {
      if (outer == 0) {
        OFINDEX_TRY(CheckName(member.key, member.value));
        OFINDEX_TRY(Take(member.key, member.value, depth));
        continue;
      }
      name_.resize(outer);
      name_ += member.key;
      const std::string name = name_;
      OFINDEX_TRY(CheckName(name, member.value));
      OFINDEX_TRY(Take(name, member.value, depth));
    }
    name_.resize(outer);
    return {};
  }

  // Checks the name of a feature. That of an object is only the begin of names.
  [[nodiscard]] Result<void> CheckName(std::string_view name, const dom::element& value) const {
    if (names_ == RowNames::kAny) return {};
    dom::object object;
    if (value.get(object) == simdjson::SUCCESS && !IsBytes(object)) return {};
    return CheckFeatureName(name, "a key");
  }

  Result<void> Take(std::string_view name, const dom::element& element, int depth) {
    using SourceValueType = SourceValue::Type;
    switch (element.type()) {
      case dom::element_type::ARRAY: return Elements(name, dom::array(element), depth);
      case dom::element_type::OBJECT: return Object(name, dom::object(element), depth);
      case dom::element_type::INT64:
        return visitor_->Value(name, {.type = SourceValueType::kInteger, .integer = int64_t(element)}, depth);
      case dom::element_type::UINT64:
        return Fail(ErrorCode::kFeature,
                    StrCat("feature '", Printable(name), "': ", uint64_t(element), " does not fit an int64"));
      case dom::element_type::DOUBLE:
        return visitor_->Value(name, {.type = SourceValueType::kReal, .real = double(element)}, depth);
      case dom::element_type::STRING:
        return visitor_->Value(name, {.type = SourceValueType::kText, .text = std::string_view(element)}, depth);
      case dom::element_type::BOOL:
        return visitor_->Value(name, {.type = SourceValueType::kBoolean, .integer = bool(element) ? 1 : 0}, depth);
      case dom::element_type::NULL_VALUE: return visitor_->Value(name, {}, depth);
    }
    return {};
  }

  Result<void> Elements(std::string_view name, const dom::array& array, int depth) {
    // A list of records is not stored as a list: its values are under the names of its members.
    dom::object first;
    const bool records = array.at(0).get(first) == simdjson::SUCCESS && !IsBytes(first);
    if (!records) OFINDEX_TRY(visitor_->List(name, depth));
    for (const dom::element element : array) OFINDEX_TRY(Take(name, element, depth + 1));
    return {};
  }

  static bool IsBytes(const dom::object& object) {
    if (object.size() != 1) return false;
    const dom::key_value_pair only = *object.begin();
    return only.key == "base64" && only.value.is_string();
  }

  Result<void> Object(std::string_view name, const dom::object& object, int depth) {
    if (IsBytes(object)) {
      auto bytes = DecodeBase64(std::string_view((*object.begin()).value));
      if (!bytes) {
        return Fail(ErrorCode::kFeature, StrCat("feature '", Printable(name), "': its base64 is malformed"));
      }
      decoded_.push_back(std::move(*bytes));
      return visitor_->Value(name, {.type = SourceValue::Type::kBytes, .text = decoded_.back()}, depth);
    }
    const std::string outer = std::exchange(name_, StrCat(name, "."));
    OFINDEX_TRY(Members(object, depth));
    name_ = outer;
    return {};
  }

  RowNames names_;
  dom::parser parser_;
  RowVisitor* visitor_ = nullptr;
  std::string name_;  // prefix of the object whose members are visited, with its dot; empty for the row itself
  std::deque<std::string> decoded_;  // bytes viewed by values of this row
};

}  // namespace

std::unique_ptr<RowParser> MakeJsonRowParser(RowNames names) { return std::make_unique<JsonRowParser>(names); }

}  // namespace ofindex
