#pragma once

#include "base/bytes.h"

namespace ofindex {

/// Extracts columns from a payload in memory and in pieces, as the decoder decodes it; or from any message, by a
/// descriptor set. The first byte selects the payload's type (modulo 4: 0 is a FileDescriptorSet, which also serves as
/// the message, 1 an Example, 2 a SequenceExample, 3 an OFRecord) and the size of the pieces.
void CheckExtractor(ByteView input);

/// Reads the header of an image in memory, in pieces and cut off: they do not contradict each other.
void CheckImageHeader(ByteView image);

/// Decodes an image two times into an array of a small size, which the first three bytes select: the same pixels, and
/// all of them, or an error.
void CheckImagePixels(ByteView input);

/// Decodes a payload, writes what it has, and decodes that: the same features. A scan for one feature finds the same
/// values, and a dump shows every byte.
void CheckFeatures(ByteView input);

/// Decodes records into arrays by the fast path and by the complete one: the same arrays.
void CheckDecoding(ByteView input);

/// Looks up every message and field of a descriptor set: all lie inside it, and plans end at scalars.
void CheckDescriptors(ByteView descriptors);

}  // namespace ofindex
