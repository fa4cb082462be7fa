#include "python/src/attaching/arrow_rows.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <limits>
#include <map>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/bytes.h"
#include "base/text.h"
#include "query/decoding/cast.h"

namespace ofindex::python {
namespace {

/// An array that a stream gave, released at the end.
struct TakenArray {
  ArrowArray array{};
  TakenArray() = default;
  TakenArray(const TakenArray&) = delete;
  TakenArray& operator=(const TakenArray&) = delete;
  ~TakenArray() {
    if (array.release != nullptr) array.release(&array);
  }
};

const uint8_t* ArrowBuffer(const ArrowArray& array, int64_t buffer) {
  return static_cast<const uint8_t*>(array.buffers[buffer]);
}

bool BitOfBuffer(const uint8_t* bits, int64_t i) { return ((bits[i / 8] >> (i % 8)) & 1) != 0; }

bool IsNull(const ArrowArray& array, int64_t i) {
  return array.null_count != 0 && array.n_buffers > 0 && ArrowBuffer(array, 0) != nullptr &&
         !BitOfBuffer(ArrowBuffer(array, 0), i);
}

template <typename T>
T ItemAt(const ArrowArray& array, int64_t buffer, int64_t i) {
  T item;
  std::memcpy(&item, ArrowBuffer(array, buffer) + static_cast<size_t>(i) * sizeof(T), sizeof item);
  return item;
}

template <typename T>
bool ReadInteger(const ArrowArray& array, int64_t i, TableValue& value) {
  const T item = ItemAt<T>(array, 1, i);
  value = {FeatureKind::kInt64, static_cast<uint64_t>(static_cast<int64_t>(item)), {}};
  return sizeof(T) < 8 || std::is_signed_v<T> || static_cast<int64_t>(item) >= 0;
}

bool ReadTruth(const ArrowArray& array, int64_t i, TableValue& value) {
  value = {FeatureKind::kInt64, BitOfBuffer(ArrowBuffer(array, 1), i) ? uint64_t{1} : uint64_t{0}, {}};
  return true;
}

bool ReadFloat(const ArrowArray& array, int64_t i, TableValue& value) {
  value = {FeatureKind::kFloat, std::bit_cast<uint32_t>(ItemAt<float>(array, 1, i)), {}};
  return true;
}

bool ReadHalf(const ArrowArray& array, int64_t i, TableValue& value) {
  const Float16 half{ItemAt<uint16_t>(array, 1, i)};
  const bool is_nan = (half.bits & 0x3ff) != 0;
  const float huge = is_nan ? std::numeric_limits<float>::quiet_NaN() : std::numeric_limits<float>::infinity();
  const float item = IsFiniteItem(half) ? FloatOf(half) : (half.bits & 0x8000) != 0 ? -huge : huge;
  value = {FeatureKind::kFloat, std::bit_cast<uint32_t>(item), {}};
  return true;
}

bool ReadDouble(const ArrowArray& array, int64_t i, TableValue& value) {
  value = {FeatureKind::kDouble, std::bit_cast<uint64_t>(ItemAt<double>(array, 1, i)), {}};
  return true;
}

ByteView BytesAt(const uint8_t* data, int64_t begin, int64_t size) {
  if (size <= 0) return {};
  return {data + begin, static_cast<size_t>(size)};
}

template <typename Offset>
bool ReadBytes(const ArrowArray& array, int64_t i, TableValue& value) {
  const auto begin = int64_t{ItemAt<Offset>(array, 1, i)};
  value = {FeatureKind::kBytes, 0, BytesAt(ArrowBuffer(array, 2), begin, ItemAt<Offset>(array, 1, i + 1) - begin)};
  return true;
}

// A view has 16 bytes: the size, and then the bytes themselves, or the first four, a buffer and an offset in it.
bool ReadView(const ArrowArray& array, int64_t i, TableValue& value) {
  constexpr int64_t kWords = 4;
  constexpr int32_t kMaxInline = 12;
  const auto size = ItemAt<int32_t>(array, 1, i * kWords);
  if (size <= kMaxInline) {
    value = {FeatureKind::kBytes, 0, BytesAt(ArrowBuffer(array, 1), (i * kWords + 1) * 4, size)};
    return true;
  }
  const auto buffer = ItemAt<int32_t>(array, 1, i * kWords + 2);
  const auto begin = ItemAt<int32_t>(array, 1, i * kWords + 3);
  value = {FeatureKind::kBytes, 0, BytesAt(ArrowBuffer(array, 2 + buffer), begin, size)};
  return true;
}

ArrowRows::ReadItem ReaderOf(std::string_view format) {
  static const std::map<std::string_view, ArrowRows::ReadItem> readers = {
      {"b", ReadTruth},
      {"c", ReadInteger<int8_t>},
      {"C", ReadInteger<uint8_t>},
      {"s", ReadInteger<int16_t>},
      {"S", ReadInteger<uint16_t>},
      {"i", ReadInteger<int32_t>},
      {"I", ReadInteger<uint32_t>},
      {"l", ReadInteger<int64_t>},
      {"L", ReadInteger<uint64_t>},
      {"e", ReadHalf},
      {"f", ReadFloat},
      {"g", ReadDouble},
      {"u", ReadBytes<int32_t>},
      {"z", ReadBytes<int32_t>},
      {"U", ReadBytes<int64_t>},
      {"Z", ReadBytes<int64_t>},
      {"vu", ReadView},
      {"vz", ReadView},
  };
  const auto found = readers.find(format);
  return found == readers.end() ? nullptr : found->second;
}

/// Buffers that an array of this format has at least.
int64_t BuffersOf(const std::string& format) {
  static constexpr std::string_view kOfBytes = "u z U Z vu vz";
  if (format == "n") return 0;
  return kOfBytes.find(format) != std::string_view::npos ? 3 : 2;
}

/// Returns true if `array` has `rows` rows and the buffers of its format. Their sizes are not known: they are trusted.
bool HasShape(const ArrowArray& array, const std::string& format, int64_t rows) {
  if (array.offset < 0 || array.length < rows || array.n_buffers < BuffersOf(format)) return false;
  if (array.n_buffers == 0 || rows == 0) return true;
  return array.buffers != nullptr && (array.n_buffers < 2 || array.buffers[1] != nullptr);
}

/// Returns false if a view names a buffer that the array does not have, or bytes beyond it.
bool IsViewSound(const ArrowArray& array, int64_t i) {
  constexpr int64_t kWords = 4;
  const int64_t buffers = array.n_buffers - 3;  // the last buffer has their sizes
  const int64_t size = ItemAt<int32_t>(array, 1, i * kWords);
  if (size <= 12) return size >= 0;
  const int64_t buffer = ItemAt<int32_t>(array, 1, i * kWords + 2);
  const int64_t begin = ItemAt<int32_t>(array, 1, i * kWords + 3);
  if (buffer < 0 || buffer >= buffers || begin < 0 || array.buffers[array.n_buffers - 1] == nullptr) return false;
  return begin + size <= ItemAt<int64_t>(array, array.n_buffers - 1, buffer);
}

// In place of the format of a dictionary of a dictionary.
constexpr std::string_view kNestedDictionary = "dictionary";

std::string_view WordFor(std::string_view format) {
  if (format.starts_with("+s")) return "structs";
  if (format.starts_with("+m")) return "maps";
  if (format.starts_with("+r")) return "run-end encoded values";
  if (format.starts_with("+u")) return "unions";
  if (format.starts_with("+")) return "lists";
  if (format == kNestedDictionary) return "codes of codes";
  if (format.starts_with("t")) return "times";
  if (format.starts_with("d")) return "decimals";
  return "values of another type";
}

}  // namespace

ArrowRows::~ArrowRows() { stream_.release(&stream_); }

tl::unexpected<Error> ArrowRows::Failed() {
  const char* const said = stream_.get_last_error(&stream_);
  return Fail(ErrorCode::kFormat,
              StrCat(Printable(name_), ": its Arrow stream ends: ", said == nullptr ? "no reason given" : said),
              "read the table by itself to find the cause");
}

tl::unexpected<Error> ArrowRows::Broken(const std::string& what) const {
  return Fail(ErrorCode::kFormat, StrCat(Printable(name_), ": ", what, "; expected a sound Arrow stream"),
              "read the table by itself to find the cause");
}

ArrowRows::Field ArrowRows::FieldOf(const ArrowSchema& schema) {
  const ArrowSchema& values = schema.dictionary != nullptr ? *schema.dictionary : schema;
  Field field{.format = values.format == nullptr ? "" : values.format};
  field.read = ReaderOf(field.format);
  if (schema.dictionary != nullptr) {
    const std::string_view codes = schema.format == nullptr ? "" : schema.format;
    field.read_index = std::string_view("cCsSiIlL").find(codes) == std::string_view::npos ? nullptr : ReaderOf(codes);
    if (field.read_index == nullptr) field.read = nullptr;
    if (values.dictionary != nullptr) return Field{.format = std::string(kNestedDictionary)};
  }
  if (std::string_view(field.format).starts_with("w:")) {
    std::from_chars(field.format.data() + 2, field.format.data() + field.format.size(), field.width);
  }
  return field;
}

Result<void> ArrowRows::ReadSchema() {
  ArrowSchema schema{};
  if (stream_.get_schema(&stream_, &schema) != 0) return Failed();
  const bool has_children = schema.n_children == 0 || schema.children != nullptr;
  const bool is_table = has_children && schema.format != nullptr && std::string_view(schema.format) == "+s";
  for (int64_t i = 0; is_table && i < schema.n_children; ++i) {
    const ArrowSchema& child = *schema.children[i];
    columns_.emplace_back(child.name == nullptr ? "" : child.name);
    fields_.push_back(FieldOf(child));
  }
  if (schema.release != nullptr) schema.release(&schema);
  batch_.columns.resize(columns_.size());
  if (is_table) return {};
  return Fail(ErrorCode::kFormat, StrCat(Printable(name_), ": an Arrow stream of an array; expected one of a table"),
              "give the array a name in a table");
}

Result<void> ArrowRows::CheckColumn(size_t column) const {
  const Field& field = fields_[column];
  if (field.read != nullptr || field.width > 0 || field.format == "n") return {};
  return Fail(
      ErrorCode::kFormat,
      StrCat(Printable(name_), ": column '", Printable(columns_[column]), "' has ", WordFor(field.format),
             ", Arrow's format '", Printable(field.format), "'; expected numbers, truth values, texts or bytes"),
      "convert the column, or leave it out with columns=");
}

Result<void> ArrowRows::ForEachBatch(const TakeBatch& take) {
  for (;;) {
    TakenArray table;
    if (stream_.get_next(&stream_, &table.array) != 0) return Failed();
    if (table.array.release == nullptr) return {};
    OFINDEX_TRY(Pass(table.array, take));
  }
}

Result<TableValue> ArrowRows::ValueAt(const Field& field, const ArrowArray& array, int64_t i) const {
  TableValue value;
  if (field.format == "n" || IsNull(array, i)) return value;
  const ArrowArray* values = &array;
  if (field.read_index != nullptr) {
    if (!field.read_index(array, i, value)) return TableValue();
    const auto code = static_cast<int64_t>(value.bits);
    values = array.dictionary;
    if (code < 0 || code >= values->length) {
      return Broken(StrCat("the code ", code, " is outside its dictionary of ", values->length, " values"));
    }
    i = code + values->offset;
    if (IsNull(*values, i)) return TableValue();
  }
  if (field.width > 0) {
    return TableValue{FeatureKind::kBytes, 0, BytesAt(ArrowBuffer(*values, 1), i * field.width, field.width)};
  }
  if (field.read == ReadView && !IsViewSound(*values, i)) return Broken("a view is outside the bytes of its array");
  if (field.read(*values, i, value)) return value;
  return Fail(ErrorCode::kFormat,
              StrCat(Printable(name_), ": the value ", value.bits, " does not fit 64 bits with a sign"),
              "convert the column to float64, or to text");
}

// Checks what a batch says of itself, for the columns that can be read.
Result<void> ArrowRows::CheckBatch(const ArrowArray& table) const {
  const bool has_columns = table.n_children == static_cast<int64_t>(fields_.size()) && table.length >= 0 &&
                           table.offset >= 0 && table.offset <= INT64_MAX - table.length;
  if (!has_columns) return Broken("a batch has other columns than its table");
  for (size_t c = 0; c < fields_.size(); ++c) {
    if (!CheckColumn(c)) continue;
    const Field& field = fields_[c];
    const ArrowArray* const array = table.children[c];
    const int64_t rows = table.offset + table.length;
    const bool is_coded = field.read_index != nullptr;
    const bool sound = array != nullptr && HasShape(*array, is_coded ? "i" : field.format, rows) &&
                       (!is_coded || (array->dictionary != nullptr && HasShape(*array->dictionary, field.format, 0)));
    if (!sound) return Broken(StrCat("the array of column '", Printable(columns_[c]), "' is too short or has no data"));
  }
  return {};
}

Result<void> ArrowRows::Pass(const ArrowArray& table, const TakeBatch& take) {
  OFINDEX_TRY(CheckBatch(table));
  const auto rows = static_cast<uint64_t>(table.length);
  for (uint64_t at = 0; at < rows; at += batch_.rows) {
    batch_.rows = std::min<uint64_t>(kMaxBatchRows, rows - at);
    for (size_t c = 0; c < fields_.size(); ++c) {
      std::vector<TableValue>& values = batch_.columns[c];
      values.assign(batch_.rows, {});
      if (!CheckColumn(c)) continue;  // a column that is not attached
      const ArrowArray& array = *table.children[c];
      const int64_t first = array.offset + table.offset + static_cast<int64_t>(at);
      for (size_t r = 0; r < batch_.rows; ++r) {
        if (IsNull(table, table.offset + static_cast<int64_t>(at + r))) continue;  // a row that is NULL as a whole
        OFINDEX_ASSIGN(values[r], ValueAt(fields_[c], array, first + static_cast<int64_t>(r)));
      }
    }
    OFINDEX_TRY(take(batch_));
  }
  return {};
}

}  // namespace ofindex::python
