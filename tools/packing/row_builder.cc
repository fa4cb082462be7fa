#include "tools/packing/row_builder.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include "base/text.h"
#include "tools/packing/text_numbers.h"

namespace ofindex {
namespace {

using SourceValueType = SourceValue::Type;

// Returns the shortest text of `number`.
template <typename Number>
std::string TextOf(Number number) {
  std::array<char, 32> digits{};
  const auto written = std::to_chars(digits.data(), digits.data() + digits.size(), number);
  return {digits.data(), written.ptr};
}

std::string Shown(const SourceValue& value) {
  switch (value.type) {
    case SourceValueType::kText: return StrCat("'", Printable(value.text.substr(0, 64)), "'");
    case SourceValueType::kInteger: return StrCat(value.integer);
    case SourceValueType::kBoolean: return value.integer != 0 ? "true" : "false";
    case SourceValueType::kReal: return TextOf(value.real);
    default: return std::string(Name(value.type));
  }
}

tl::unexpected<Error> NotOf(SourceType type, const SourceValue& value) {
  return Fail(ErrorCode::kFeature, StrCat(Shown(value), " is not a valid ", Name(type)));
}

tl::unexpected<Error> Twice(std::string_view name) {
  return Fail(ErrorCode::kFeature, StrCat("feature '", Printable(name), "': twice in one row"),
              "give one of them another name");
}

// Returns the type of a value that carries its own type.
SourceType OwnType(const SourceValue& value) {
  switch (value.type) {
    case SourceValueType::kBoolean: return SourceType::kBoolean;
    case SourceValueType::kInteger: return SourceType::kLong;
    case SourceValueType::kReal: return SourceType::kDouble;
    case SourceValueType::kText: return SourceType::kString;
    default: return SourceType::kBytes;
  }
}

struct Range {
  int64_t min;
  int64_t max;
};

template <typename Integer>
constexpr Range RangeOf() {
  return {std::numeric_limits<Integer>::min(), std::numeric_limits<Integer>::max()};
}

constexpr Range RangeOf(SourceType type) {
  switch (type) {
    case SourceType::kBoolean: return {0, 1};
    case SourceType::kByte: return {-128, 255};  // signed in Java, unsigned nearly everywhere else
    case SourceType::kChar: return {0, 0x10ffff};
    case SourceType::kShort: return RangeOf<int16_t>();
    case SourceType::kInt: return RangeOf<int32_t>();
    default: return RangeOf<int64_t>();
  }
}

// Returns the code point in `text` if there is exactly one.
std::optional<int64_t> CodePoint(std::string_view text) {
  if (text.empty() || !IsUtf8(text)) return std::nullopt;
  const auto first = static_cast<uint8_t>(text[0]);
  const size_t size = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (text.size() != size) return std::nullopt;
  int64_t point = size == 1 ? first : first & (0xffU >> (size + 1));
  for (size_t i = 1; i < size; ++i) point = point << 6 | (static_cast<uint8_t>(text[i]) & 0x3f);
  return point;
}

Result<int64_t> WholeOfText(SourceType type, const SourceValue& value, TimeUnit unit) {
  switch (type) {
    case SourceType::kDate: return ParseDate(value.text);
    case SourceType::kTime: return ParseTime(value.text, unit);
    case SourceType::kTimestamp: return ParseTimestamp(value.text, unit);
    case SourceType::kChar:
      if (const auto point = CodePoint(value.text)) return *point;
      return NotOf(type, value);
    case SourceType::kBoolean:
      if (const auto truth = ParseBoolean(value.text)) return *truth ? 1 : 0;
      break;
    default: break;
  }
  if (const auto whole = ParseWhole(value.text)) return *whole;
  return NotOf(type, value);
}

}  // namespace

void RowBuilder::Touch(Slot& slot) {
  if (slot.there) return;
  slot.there = true;
  touched_.push_back(slot.number);
}

void RowBuilder::Slot::Clear() {
  there = false;
  values.Clear();
  step_begins.clear();
  byte_array = nullptr;
  if (type == SourceType::kChoice) kind = FeatureKind::kNone;
}

RowBuilder::RowBuilder(PackSchema schema, PayloadKind payload, TimeUnit unit)
    : maps_(std::move(schema.maps)), payload_(payload), unit_(unit), builder_(payload) {
  const auto note_outer = [this](std::string_view name) {
    for (size_t dot = name.find('.'); dot != std::string_view::npos; dot = name.find('.', dot + 1)) {
      outer_.emplace(name.substr(0, dot));
    }
  };
  for (const PackFeature& feature : schema.features) {
    AddSlot(feature);
    note_outer(feature.name);
  }
  for (const PackFeature& map : maps_) note_outer(map.name + ".");
}

size_t RowBuilder::AddSlot(const PackFeature& feature) {
  const size_t number = names_.Add(feature.name);
  if (number < slots_.size()) return number;
  Slot slot;
  slot.type = feature.type;
  slot.steps = feature.steps && payload_ == PayloadKind::kSequenceExample;
  slot.kind = feature.type ? KindOf(*feature.type, payload_) : FeatureKind::kNone;
  slot.number = number;
  slots_.push_back(std::move(slot));
  return number;
}

void RowBuilder::Clear() {
  for (const size_t number : touched_) slots_[number].Clear();
  touched_.clear();
  texts_.clear();
  builder_.Clear();
}

Result<RowBuilder::Slot*> RowBuilder::SlotOf(std::string_view name) {
  if (const std::optional<size_t> number = names_.Find(name)) return &slots_[*number];
  for (const PackFeature& map : maps_) {
    if (name.size() <= map.name.size() || !name.starts_with(map.name) || name[map.name.size()] != '.') continue;
    return &slots_[AddSlot({.name = std::string(name), .type = map.type, .steps = map.steps})];
  }
  return Fail(ErrorCode::kFeature, StrCat("feature '", Printable(name), "' is not in the schema"),
              "add it to the file given by --schema");
}

// Returns true if `name` is that of a record or a map, which contains features but is not a feature.
bool RowBuilder::IsOuter(std::string_view name) const { return !names_.Has(name) && outer_.contains(name); }

Result<void> RowBuilder::List(std::string_view name, int depth) {
  if (IsOuter(name)) return {};  // an empty list of records; values in it would not be in the schema
  OFINDEX_ASSIGN(Slot * slot, SlotOf(name));
  if (depth == 0 && slot->there) return Twice(name);
  Touch(*slot);
  slot->byte_array = nullptr;
  if (depth == 1 && slot->steps) slot->step_begins.push_back(slot->values.count());
  return {};
}

Result<void> RowBuilder::Value(std::string_view name, const SourceValue& value, int depth) {
  if (value.type == SourceValueType::kNull && depth == 0 && IsOuter(name)) return {};
  OFINDEX_ASSIGN(Slot * slot, SlotOf(name));
  if (value.type == SourceValueType::kNull) {
    if (depth == 0) return {};
    return Fail(ErrorCode::kFeature, StrCat("feature '", Printable(name), "': a null inside a list"),
                "omit it, or write a placeholder value");
  }
  if (!slot->type) {
    return Fail(ErrorCode::kIo, StrCat("feature '", Printable(name), "' is new: the source changed while it was read"),
                "pack it when no other process writes to it");
  }
  // In a column of numbers or times, an empty text is a null.
  if (value.type == SourceValueType::kText && value.text.empty() && depth == 0 && slot->kind != FeatureKind::kBytes &&
      *slot->type != SourceType::kChoice) {
    return {};
  }
  if (depth == 0 && slot->there) return Twice(name);
  if (slot->steps && depth < 2) {
    return Fail(ErrorCode::kFeature,
                StrCat("feature '", Printable(name), "': a value, where other rows have lists of lists"));
  }
  const bool first = slot->values.count() == 0;
  Touch(*slot);
  SourceType type = *slot->type;
  if (type == SourceType::kChoice) {
    type = OwnType(value);
    const FeatureKind kind = KindOf(type, payload_);
    if (!first && kind != slot->kind) {
      return Fail(ErrorCode::kFeature, StrCat("feature '", Printable(name), "': a list of ", ofindex::Name(slot->kind),
                                              " and ", ofindex::Name(kind)));
    }
    slot->kind = kind;
  }
  Result<void> put = Put(*slot, type, value);
  if (put) return {};
  Error error = std::move(put).error();
  error.message = StrCat("feature '", Printable(name), "': ", error.message);
  return tl::unexpected(std::move(error));
}

Result<void> RowBuilder::Put(Slot& slot, SourceType type, const SourceValue& value) {
  switch (slot.kind) {
    case FeatureKind::kBytes:
      return type == SourceType::kByteArray && value.type == SourceValueType::kInteger ? PutByte(slot, value)
                                                                                       : PutBytes(slot, value);
    case FeatureKind::kFloat:
    case FeatureKind::kDouble: return PutReal(slot, value);
    default: return PutWhole(slot, type, value);
  }
}

Result<void> RowBuilder::PutWhole(Slot& slot, SourceType type, const SourceValue& value) {
  int64_t whole = value.integer;
  if (value.type == SourceValueType::kText) {
    OFINDEX_ASSIGN(whole, WholeOfText(type, value, unit_));
  } else if (value.type != SourceValueType::kInteger && value.type != SourceValueType::kBoolean) {
    return NotOf(type, value);
  }
  const Range range = RangeOf(type);
  if (whole < range.min || whole > range.max) return NotOf(type, value);
  slot.values.integers.push_back(whole);
  return {};
}

Result<void> RowBuilder::PutReal(Slot& slot, const SourceValue& value) {
  double real = value.real;
  if (value.type == SourceValueType::kInteger || value.type == SourceValueType::kBoolean) {
    real = static_cast<double>(value.integer);
  } else if (value.type == SourceValueType::kText) {
    const std::optional<double> parsed = ParseReal(value.text);
    if (!parsed) return NotOf(SourceType::kDouble, value);
    real = *parsed;
  } else if (value.type != SourceValueType::kReal) {
    return NotOf(SourceType::kDouble, value);
  }
  if (slot.kind == FeatureKind::kDouble) {
    slot.values.doubles.push_back(real);
    return {};
  }
  if (std::isinf(static_cast<float>(real))) {
    return Fail(ErrorCode::kFeature, StrCat(Shown(value), " is beyond the range of a float"));
  }
  slot.values.floats.push_back(static_cast<float>(real));
  return {};
}

Result<void> RowBuilder::PutBytes(Slot& slot, const SourceValue& value) {
  if (value.type == SourceValueType::kText || value.type == SourceValueType::kBytes) {
    slot.values.bytes.push_back(AsBytes(value.text));
    return {};
  }
  texts_.push_back(Shown(value));
  slot.values.bytes.push_back(AsBytes(texts_.back()));
  return {};
}

Result<void> RowBuilder::PutByte(Slot& slot, const SourceValue& value) {
  const Range range = RangeOf(SourceType::kByte);
  if (value.integer < range.min || value.integer > range.max) return NotOf(SourceType::kByte, value);
  if (slot.byte_array == nullptr) {
    slot.byte_array = &texts_.emplace_back();
    slot.values.bytes.emplace_back();
  }
  slot.byte_array->push_back(static_cast<char>(value.integer));
  slot.values.bytes.back() = AsBytes(*slot.byte_array);
  return {};
}

Result<ByteView> RowBuilder::Finish() {
  // Rows nearly always have the same names, which are then sorted already.
  if (touched_ != touched_before_) {
    touched_before_ = touched_;
    by_name_ = touched_;
    std::sort(by_name_.begin(), by_name_.end(), [this](size_t a, size_t b) { return names_[a] < names_[b]; });
  }
  for (const size_t number : by_name_) OFINDEX_TRY(AddTo(builder_, names_[number], slots_[number]));
  return builder_.Finish();
}

Result<void> RowBuilder::AddTo(PayloadBuilder& builder, const std::string& name, const Slot& slot) {
  if (!slot.steps) return builder.Add(AsBytes(name), slot.values.Range(slot.kind, 0, slot.values.count()));
  steps_.clear();
  for (size_t i = 0; i < slot.step_begins.size(); ++i) {
    const size_t end = i + 1 < slot.step_begins.size() ? slot.step_begins[i + 1] : slot.values.count();
    steps_.push_back(slot.values.Range(slot.kind, slot.step_begins[i], end));
  }
  return builder.AddList(AsBytes(name), steps_);
}

}  // namespace ofindex
