#pragma once

#include <cstdint>
#include <span>

#include "index/chunks/chunk.h"
#include "query/filter/value_filter.h"

namespace ofindex {

/// Match() for a chunk of bytes: the filter is evaluated once per distinct value, and the result looked up for each
/// record. Bits of records without a value are unspecified.
void MatchStrings(const ValueFilter& filter, const Chunk& chunk, std::span<uint64_t> words);

/// Returns the index of `value`, TEXT or BLOB, among the distinct values of a chunk; their count if the chunk does not
/// have the value.
[[nodiscard]] uint32_t NumberOf(const ColumnValue& value, const Chunk::Strings& strings);

}  // namespace ofindex
