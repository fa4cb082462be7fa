#pragma once

#include <cstdint>
#include <span>

#include "index/chunks/chunk.h"
#include "query/columns/chunks/bit_words.h"
#include "query/filter/value_filter.h"

namespace ofindex {

/// Sets the bit of each record of `chunk` that `filter` accepts, and clears all others; `words` has
/// WordCount(chunk.records()) words. Lists are not compared: the filter sees whether they are NULL and, for kHas, their
/// elements.
///
/// The loops are branch-free over the chunk's own representation, so that the compiler vectorizes them: the ends of a
/// range are converted to that representation once, and strings are decided once per distinct value.
void Match(const ValueFilter& filter, const Chunk& chunk, std::span<uint64_t> words);

/// Does the same for the ordinals of a block of `records` records, the first of which is `first`.
void MatchOrdinals(const ValueFilter& filter, uint64_t first, uint32_t records, std::span<uint64_t> words);

}  // namespace ofindex
