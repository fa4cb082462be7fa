#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "index/chunks/chunk.h"
#include "index/columns/column.h"

namespace ofindex {

/// Appends the list of `record`, which has one, as a JSON array. Reals are written with as many digits as tell them
/// apart and always as reals ("1.0"), infinities as 9e999, which SQL reads back as infinite; a NaN is null. Bytes are a
/// string where they are TEXT in SQL, else {"base64": "..."}.
void AppendListJson(const Chunk& chunk, uint32_t record, std::string& json);

/// Returns whether an array that AppendListJson wrote has a value that equals one of `wanted`, as SQL compares values
/// without affinity; nothing if `json` is not such an array.
[[nodiscard]] std::optional<bool> JsonListHas(std::string_view json, const std::vector<ColumnValue>& wanted);

}  // namespace ofindex
