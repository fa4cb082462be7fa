#pragma once

#include "base/bytes.h"

namespace ofindex {

/// Decodes the chunk of a column: its memory is bounded, and its values, encoded again, decode to the same.
void CheckChunk(ByteView input);

/// Reads packed offsets: nothing outside the blob is touched, and ascending ones can be packed again.
void CheckPackedOffsets(ByteView input);

/// Opens a map whose entries say anything, with correct checksums: each answer is one that the map has, or an error.
void CheckMap(ByteView input);

/// Opens a file of attached columns whose directory is the input, under correct checksums; what it says can be written
/// again.
void CheckAttachment(ByteView input);

/// Opens a key whose sections are the input, under correct checksums; finds hashes in it.
void CheckKey(ByteView input);

/// Reads what a killed build has saved, and the totals of features: what is read can be written again.
void CheckSaved(ByteView input);

}  // namespace ofindex
