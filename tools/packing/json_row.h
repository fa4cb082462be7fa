#pragma once

#include <memory>

#include "tools/packing/source_value.h"

namespace ofindex {

/// Returns a parser of JSON lines: each row is an object. {"base64": "..."} is a bytes value, as `ofindex cat` writes
/// bytes that are not UTF-8. Only this file uses simdjson.
[[nodiscard]] std::unique_ptr<RowParser> MakeJsonRowParser(RowNames names = RowNames::kFeatures);

}  // namespace ofindex
