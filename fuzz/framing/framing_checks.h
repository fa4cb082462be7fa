#pragma once

#include "base/bytes.h"

namespace ofindex {

/// Walks a shard of either framing whole, in segments and in parts: all agree with a walk written byte by byte.
void CheckWalker(ByteView input);

/// Detects what a file is, and whether it is a whole shard: what is said of it holds for a walk of it, too.
void CheckDetection(ByteView input);

/// Inflates a gzip file, or a zlib or deflate stream: from the start, from checkpoints, and during a walk, to the same
/// bytes.
void CheckInflating(ByteView input);

}  // namespace ofindex
