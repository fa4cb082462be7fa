#pragma once

#include <cstdint>
#include <span>

#include "index/chunks/chunk.h"
#include "query/columns/bit_words.h"
#include "query/filter/value_filter.h"

namespace ofindex {

/// Sets the bit of each record of `chunk` that `filter` accepts, and clears all others; `words` has
/// WordCount(chunk.records()) words. Lists are compared with nothing: they are NULL or not, and have a value or not.
///
/// Branch-free loops over the form that the chunk has, so that the compiler makes vectors of them: the ends of a range
/// become two numbers of that form once, texts are decided once per distinct value.
void Match(const ValueFilter& filter, const Chunk& chunk, std::span<uint64_t> words);

/// The same for the ordinals of a block of `records` records, of which `first` is the first.
void MatchOrdinals(const ValueFilter& filter, uint64_t first, uint32_t records, std::span<uint64_t> words);

}  // namespace ofindex
