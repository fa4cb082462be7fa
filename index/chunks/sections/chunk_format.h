#pragma once

#include <cstdint>

#include "base/record.h"

namespace ofindex {

// The layout of a chunk; docs/column_format.md describes the bytes. The values of all enums are stored in index files:
// DO NOT CHANGE THEM. A reader rejects unknown numbers.

inline constexpr uint8_t kChunkVersion = 1;

/// Maximum number of records in a chunk, the same as in a block.
inline constexpr uint32_t kMaxChunkRecords = kBlockRecords;

/// Maximum bytes of distinct values or numbers in a chunk.
inline constexpr uint64_t kMaxChunkBytes = uint64_t{512} << 20;

/// The maximum decoding cost of a chunk: an amount per record plus an amount per byte. Encodings shrink some columns to
/// almost nothing; if a chunk is too small for its cost, zero bytes are appended. So the memory of a hostile chunk is
/// proportional to its size, and no valid chunk is rejected.
inline constexpr uint64_t kCostPerRecord = 64;
inline constexpr uint64_t kCostPerByte = 1024;

enum class ChunkContent : uint8_t {
  kEmpty = 0,
  kIntegers = 1,
  kFloats = 2,
  kDoubles = 3,
  kBytes = 4,
  kMixed = 5,  ///< the kind of each record, then the values of each kind
  kLists = 6,  ///< kinds and lengths, then the values of each kind
};

enum class PresenceEncoding : uint8_t {
  kAll = 0,
  kBitmap = 1,
  kPresent = 2,  ///< numbers of the records that have a value
  kAbsent = 3,   ///< numbers of the records that have none
};

enum class IntegerEncoding : uint8_t {
  kConstant = 0,
  kPacked = 1,      ///< distances from the least value, bit-packed
  kFrames = 2,      ///< the same in frames of 1,024 values, each with its own least value and width
  kDeltas = 3,      ///< differences of neighbours, in such frames
  kDictionary = 4,  ///< distinct values, and indexes among them
};

enum class RealEncoding : uint8_t {
  kBits = 0,      ///< the bit patterns, as integers
  kIntegers = 1,  ///< the values are integers
  kNarrow = 2,    ///< the values of doubles are exact floats
};

enum class BytesEncoding : uint8_t {
  kDictionary = 0,  ///< distinct values in ascending order, each without the prefix shared with the previous one
};

enum class SectionEncoding : uint8_t {
  kPlain = 0,
  kZstd = 1,  ///< a frame of RFC 8878
};

}  // namespace ofindex
