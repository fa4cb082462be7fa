#include "query/tables/cell.h"

#include <sqlite3.h>

#include <variant>

#include "base/text.h"
#include "query/columns/chunks/bit_words.h"
#include "query/columns/list_json.h"
#include "query/tables/values/sql_values.h"

namespace ofindex {
namespace {

void PutList(sqlite3_context* context, const Chunk& chunk, uint32_t record, std::string& json) {
  if (!BitAt(chunk.present(), record)) return;
  json.clear();
  AppendListJson(chunk, record, json);
  PutResult(context, {.type = ColumnValue::Type::kText, .bytes = AsBytes(json)});
}

// Returns a number to SQLite without converting it to a ColumnValue, since most queries read numbers. Returns false if
// the chunk has other values.
bool PutNumber(sqlite3_context* context, const Chunk& chunk, uint32_t record) {
  const auto put_real = [context](double real) {
    if (real == real) sqlite3_result_double(context, real);
  };
  const Chunk::Form form = chunk.form();
  if (form != Chunk::Form::kIntegers && form != Chunk::Form::kFloats && form != Chunk::Form::kDoubles) return false;
  if (!BitAt(chunk.present(), record)) return true;
  if (form == Chunk::Form::kFloats) {
    put_real(chunk.floats()[record]);
  } else if (form == Chunk::Form::kDoubles) {
    put_real(chunk.doubles()[record]);
  } else {
    const Chunk::Integers& integers = chunk.integers();
    const uint64_t offset = std::visit([record](const auto& all) { return uint64_t{all[record]}; }, integers.offsets);
    sqlite3_result_int64(context, static_cast<sqlite3_int64>(static_cast<uint64_t>(integers.base) + offset));
  }
  return true;
}

}  // namespace

void PutCell(sqlite3_context* context, const Chunk& chunk, uint32_t record, std::string& json) {
  if (chunk.form() == Chunk::Form::kLists) return PutList(context, chunk, record, json);
  if (!PutNumber(context, chunk, record)) PutResult(context, chunk.At(record));
}

}  // namespace ofindex
