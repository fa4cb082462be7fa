#pragma once

#include <cstdint>
#include <span>

#include "base/progress.h"
#include "base/record.h"
#include "base/result.h"
#include "index/scan/block_skimmer.h"
#include "mmap/inflate/readable_bytes.h"

namespace ofindex {

/// Gives the payloads of a block's records, which begin at `points` and end at the last of them, to `skimmer`. Small
/// records pass through a buffer that stays in cache; of large ones the pages that the skimmer asks for are read, those
/// of the next records on their way meanwhile. Memory is bounded, whatever the records' size.
/// Errors: kIo; kStale  the file ends inside the block; kInterrupted.
[[nodiscard]] Result<BlockColumns> SkimBlock(const ReadableBytes& bytes, Framing framing,
                                             std::span<const uint64_t> points, BlockSkimmer& skimmer,
                                             const Progress& progress);

}  // namespace ofindex
