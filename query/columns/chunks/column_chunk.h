#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "base/result.h"
#include "index/chunks/chunk.h"
#include "query/columns/chunks/record_column.h"
#include "query/columns/chunks/shared_source.h"

namespace ofindex {

/// Returns the decoded chunk of a column in a block; provided by the caller.
using LoadChunk = std::function<Result<std::shared_ptr<const Chunk>>(const Column& column, uint64_t block)>;

/// Decodes the chunk of `column` in `block` or, if the index does not store it, derives it from the chunks of other
/// columns, which `load` returns. Errors: kIndex if the index is damaged; kIo, kLimit; those of `load`.
[[nodiscard]] Result<Chunk> MakeChunk(SharedSource& source, const LoadChunk& load, const Column& column,
                                      uint64_t block);

}  // namespace ofindex
