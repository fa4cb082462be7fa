#pragma once

#include "base/bytes.h"

namespace ofindex {

/// Changes rows, blobs and bytes of an index under correct checksums, and asks it a question: answers or errors, and no
/// byte of a record that is not in the files.
void CheckIndex(ByteView input);

/// Reads records by the batch, in any order and with repeats: the bytes that each of them has alone.
void CheckBatch(ByteView input);

}  // namespace ofindex
