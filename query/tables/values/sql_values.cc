#include "query/tables/values/sql_values.h"

#include <sqlite3.h>

#include <memory>
#include <string>
#include <utility>

#include "base/text.h"

namespace ofindex {
namespace {

using Type = ColumnValue::Type;

}  // namespace

Chunk::Value ViewOf(sqlite3_value* value) {
  const auto bytes = [value](const void* data) {
    const auto size = static_cast<size_t>(sqlite3_value_bytes(value));
    return ByteView(static_cast<const uint8_t*>(data), data == nullptr ? 0 : size);
  };
  switch (sqlite3_value_type(value)) {
    case SQLITE_INTEGER: return {.type = Type::kInteger, .integer = sqlite3_value_int64(value)};
    case SQLITE_FLOAT: return {.type = Type::kReal, .real = sqlite3_value_double(value)};
    case SQLITE_TEXT: return {.type = Type::kText, .bytes = bytes(sqlite3_value_text(value))};
    case SQLITE_BLOB: return {.type = Type::kBlob, .bytes = bytes(sqlite3_value_blob(value))};
    default: return {};
  }
}

ColumnValue ValueOf(sqlite3_value* value) {
  const Chunk::Value view = ViewOf(value);
  return {.type = view.type, .integer = view.integer, .real = view.real, .bytes = std::string(AsText(view.bytes))};
}

// SQLite converts a copy: the value itself may be a constant of the statement, and compared with other columns too.
Result<ColumnValue> ValueOf(sqlite3_value* value, Affinity affinity) {
  const int type = sqlite3_value_type(value);
  const bool number = type == SQLITE_INTEGER || type == SQLITE_FLOAT;
  if (affinity == Affinity::kText ? !number : affinity == Affinity::kNone || type != SQLITE_TEXT) return ValueOf(value);
  const std::unique_ptr<sqlite3_value, void (*)(sqlite3_value*)> copy(sqlite3_value_dup(value), sqlite3_value_free);
  if (copy == nullptr) return Fail(ErrorCode::kLimit, "out of memory for a value");
  if (affinity == Affinity::kNumeric) {
    sqlite3_value_numeric_type(copy.get());
    return ValueOf(copy.get());
  }
  const auto* const text = reinterpret_cast<const char*>(sqlite3_value_text(copy.get()));
  if (text == nullptr) return Fail(ErrorCode::kLimit, "out of memory for a value");
  return ColumnValue{.type = ColumnValue::Type::kText,
                     .bytes = {text, static_cast<size_t>(sqlite3_value_bytes(copy.get()))}};
}

Result<std::vector<ColumnValue>> ElementsOf(sqlite3_value* value) {
  std::vector<ColumnValue> elements;
  if (sqlite3_value_type(value) == SQLITE_NULL) return elements;
  OFINDEX_ASSIGN(ColumnValue number, ValueOf(value, Affinity::kNumeric));
  OFINDEX_ASSIGN(ColumnValue text, ValueOf(value, Affinity::kText));
  const bool both = number.type != text.type;
  elements.push_back(std::move(number));
  if (both) elements.push_back(std::move(text));
  return elements;
}

InKind InOf(sqlite3_index_info* info, int i) {
  constexpr int kTold = 32;
  constexpr int kVtabInVersion = 3038000;
  if (i >= kTold || sqlite3_libversion_number() < kVtabInVersion) return InKind::kMaybe;
  return sqlite3_vtab_in(info, i, 1) != 0 ? InKind::kIn : InKind::kNone;
}

Result<void> ForEachIn(sqlite3_value* list, const std::function<Result<void>(sqlite3_value*)>& take) {
  sqlite3_value* value = nullptr;
  int result = sqlite3_vtab_in_first(list, &value);
  for (; result == SQLITE_OK; result = sqlite3_vtab_in_next(list, &value)) OFINDEX_TRY(take(value));
  if (result == SQLITE_DONE) return {};
  return Fail(ErrorCode::kLimit, StrCat("SQLite gave no values for IN (", result, ")"), "give IN fewer values");
}

void PutResult(sqlite3_context* context, const Chunk::Value& value) {
  // A null pointer would be NULL, and not an empty value.
  const char* const bytes = value.bytes.empty() ? "" : reinterpret_cast<const char*>(value.bytes.data());
  switch (value.type) {
    case ColumnValue::Type::kNull: return sqlite3_result_null(context);
    case ColumnValue::Type::kInteger: return sqlite3_result_int64(context, value.integer);
    case ColumnValue::Type::kReal: return sqlite3_result_double(context, value.real);
    case ColumnValue::Type::kText:
      return sqlite3_result_text64(context, bytes, value.bytes.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
    case ColumnValue::Type::kBlob: return sqlite3_result_blob64(context, bytes, value.bytes.size(), SQLITE_TRANSIENT);
  }
}

int CodeOf(const Error& error) {
  switch (error.code) {
    case ErrorCode::kIndex: return SQLITE_CORRUPT_VTAB;
    case ErrorCode::kStale: return SQLITE_IOERR_DATA;
    case ErrorCode::kIo: return SQLITE_IOERR;
    case ErrorCode::kLimit: return SQLITE_NOMEM;
    case ErrorCode::kInterrupted: return SQLITE_INTERRUPT;
    case ErrorCode::kNotFound: return SQLITE_CANTOPEN;
    default: return SQLITE_ERROR;
  }
}

int Report(sqlite3_vtab* table, const Error& error) {
  sqlite3_free(table->zErrMsg);
  table->zErrMsg = sqlite3_mprintf("%s", error.message.c_str());
  return CodeOf(error);
}

}  // namespace ofindex
