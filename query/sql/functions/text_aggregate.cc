#include "query/sql/functions/text_aggregate.h"

#include <sqlite3.h>

namespace ofindex {
namespace {

// The text of a group so far. SQLite fills it with zeros at first.
struct JoinedText {
  sqlite3_str* text;
};

void AppendValue(sqlite3_str* text, sqlite3_value* value) {
  const auto* const bytes = reinterpret_cast<const char*>(sqlite3_value_text(value));
  if (bytes != nullptr) sqlite3_str_append(text, bytes, sqlite3_value_bytes(value));
}

void PutText(sqlite3_context* context, sqlite3_str* text) {
  const int error = sqlite3_str_errcode(text);
  const auto size = static_cast<sqlite3_uint64>(sqlite3_str_length(text));
  char* const joined = sqlite3_str_finish(text);
  if (error == SQLITE_OK && joined != nullptr) {
    return sqlite3_result_text64(context, joined, size, sqlite3_free, SQLITE_UTF8);
  }
  sqlite3_free(joined);
  if (error == SQLITE_OK) return sqlite3_result_text(context, "", 0, SQLITE_STATIC);
  sqlite3_result_error_code(context, error);
}

}  // namespace

void StepStringAgg(sqlite3_context* context, int, sqlite3_value** values) {
  if (sqlite3_value_type(values[0]) == SQLITE_NULL) return;
  auto* const joined = static_cast<JoinedText*>(sqlite3_aggregate_context(context, sizeof(JoinedText)));
  if (joined == nullptr) return sqlite3_result_error_nomem(context);
  if (joined->text == nullptr) {
    joined->text = sqlite3_str_new(sqlite3_context_db_handle(context));
  } else {
    AppendValue(joined->text, values[1]);
  }
  AppendValue(joined->text, values[0]);
  if (const int error = sqlite3_str_errcode(joined->text); error != SQLITE_OK) {
    sqlite3_result_error_code(context, error);
  }
}

void FinishStringAgg(sqlite3_context* context) {
  auto* const joined = static_cast<JoinedText*>(sqlite3_aggregate_context(context, 0));
  if (joined == nullptr || joined->text == nullptr) return;
  PutText(context, joined->text);
  joined->text = nullptr;
}

}  // namespace ofindex
