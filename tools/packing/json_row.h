#pragma once

#include <memory>

#include "tools/packing/source_value.h"

namespace ofindex {

/// A parser of JSON lines: a row is an object. {"base64": "..."} is a value of bytes, as `ofindex cat` writes those
/// that are not UTF-8. The one place that knows simdjson.
[[nodiscard]] std::unique_ptr<RowParser> MakeJsonRowParser();

}  // namespace ofindex
