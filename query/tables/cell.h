#pragma once

#include <cstdint>
#include <string>

#include "index/chunks/chunk.h"

struct sqlite3_context;

namespace ofindex {

/// Returns the value that `chunk` has for `record` to SQLite, as the result of a column. A list is a JSON array, which
/// is written into `json`, a buffer to reuse.
void PutCell(sqlite3_context* context, const Chunk& chunk, uint32_t record, std::string& json);

}  // namespace ofindex
