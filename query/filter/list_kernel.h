#pragma once

#include <cstdint>
#include <span>

#include "index/chunks/chunk.h"
#include "query/filter/value_filter.h"

namespace ofindex {

/// Match() for a chunk of lists: accepts the records whose list contains a value of a kHas filter, as SQL compares them
/// without affinity. Filters of other kinds match no record. Bits of records without a list are unspecified.
void MatchLists(const ValueFilter& filter, const Chunk& chunk, std::span<uint64_t> words);

}  // namespace ofindex
