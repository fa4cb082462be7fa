#pragma once

#include <cstdint>

namespace ofindex {

// How a chunk is laid out: docs/column_format.md has the bytes. The values of all enums stand in index files: DO NOT
// CHANGE THEM. A reader refuses numbers that it does not know.

inline constexpr uint8_t kChunkVersion = 1;

/// The most records of a chunk: those of a block.
inline constexpr uint32_t kMostChunkRecords = 65536;

/// The most bytes, of distinct values or of numbers, that a chunk is made of.
inline constexpr uint64_t kMostChunkBytes = uint64_t{512} << 20;

/// What a chunk may cost to decode: so much for each record, and so much for each of its bytes. Encodings shrink some
/// columns to nearly nothing; where they shrink below this, zero bytes are appended. So a hostile chunk takes memory in
/// proportion to its size, and no honest one is refused.
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
  kAbsent = 3,   ///< numbers of those that have none
};

enum class IntegerEncoding : uint8_t {
  kConstant = 0,
  kPacked = 1,      ///< distances from the least, bit-packed
  kFrames = 2,      ///< the same by 1,024 values, each frame with a least and a width of its own
  kDeltas = 3,      ///< differences of neighbours, in such frames
  kDictionary = 4,  ///< distinct values, and numbers among them
};

enum class RealEncoding : uint8_t {
  kBits = 0,      ///< the bit patterns, as integers
  kIntegers = 1,  ///< the values are integers
  kNarrow = 2,    ///< the values of doubles are floats
};

enum class BytesEncoding : uint8_t {
  kDictionary = 0,  ///< distinct values in ascending order, each without what it shares with the one before
};

enum class SectionEncoding : uint8_t {
  kPlain = 0,
  kZstd = 1,  ///< a frame of RFC 8878
};

}  // namespace ofindex
