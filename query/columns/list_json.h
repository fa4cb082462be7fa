#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "index/chunks/chunk.h"
#include "index/columns/column.h"

namespace ofindex {

/// Appends the list of `record`, which must have one, as a JSON array. Reals have enough digits to distinguish them and
/// always look like reals ("1.0"); infinities are 9e999, which SQL reads back as infinite; a NaN is null. Bytes are a
/// string if they are TEXT in SQL, otherwise {"base64": "..."}.
void AppendListJson(const Chunk& chunk, uint32_t record, std::string& json);

/// Returns whether an array written by AppendListJson contains a value that equals one of `wanted`, as SQL compares
/// values without affinity; nullopt if `json` is not such an array.
[[nodiscard]] std::optional<bool> JsonListHas(std::string_view json, const std::vector<ColumnValue>& wanted);

}  // namespace ofindex
