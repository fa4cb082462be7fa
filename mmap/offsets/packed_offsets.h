#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "base/record.h"

namespace ofindex {

/// Packed offsets: where the records of one block begin and end, in few bits and with O(1) access.
///
/// The records of a block are contiguous, so n records have n + 1 ascending boundaries, and one array gives offsets and
/// lengths. The boundaries lie close to a straight line; each frame of 4,096 records stores that line and the distances
/// from it, bit-packed. Records of equal size cost 0 bits each, records of 250 bytes about 13, images of 110 KB about
/// 22 (design.md). Rejected: u64 arrays (64 bits), delta varints (10 to 18 bits, but no O(1) access), Elias-Fano
/// (log2(mean length) + 2 bits, so 10 for 250 bytes and 19 for 110 KB; but 2 for equal sizes, and it needs a select
/// structure).
///
///   frames    24 bytes per 4,096 records:
///             u64 base    u64 slope (bytes per record, times 4,096)    u32 at    u8 width    3 zero bytes
///   bits      for each frame, from byte `at` of the blob: one field of `width` bits, low bits first, for each of its
///             records and for the end of the last one
///   padding   8 zero bytes, so that a field can always be read as a whole word
///
///   point(i) = base + slope * j / 4096 + field(j),   j = i mod 4096,   all modulo 2^64
[[nodiscard]] std::vector<uint8_t> PackOffsets(std::span<const uint64_t> boundaries);

/// A view of packed offsets. Immutable, thread-safe; valid as long as the bytes are.
class PackedOffsets {
 public:
  static constexpr uint32_t kFrameRecords = 4096;
  static constexpr uint64_t kFrameBytes = 24;
  static constexpr uint64_t kPaddingBytes = 8;

  /// The range [begin, end) of a record's framing and payload, in bytes of the shard.
  struct Extent {
    uint64_t begin;
    uint64_t end;
  };

  /// Returns the size in bytes of the frames of `records` records, with which a blob begins.
  [[nodiscard]] static constexpr uint64_t FramesBytes(uint64_t records) {
    return (records + kFrameRecords - 1) / kFrameRecords * kFrameBytes;
  }

  /// Returns true if a blob of `blob_bytes` bytes that begins with `frames` can be read as the offsets of `records`
  /// records without any access outside the blob. Does not check the offsets themselves; code that uses them must do
  /// that.
  [[nodiscard]] static bool Sound(ByteView frames, uint64_t blob_bytes, uint32_t records);

  /// Does the same for a whole blob, which begins with its frames.
  [[nodiscard]] static bool Sound(ByteView blob, uint32_t records) { return Sound(blob, blob.size(), records); }

  /// Views a sound blob.
  explicit PackedOffsets(const uint8_t* blob) : PackedOffsets(blob, blob) {}

  /// Views a blob through a copy of its frames. If Sound(frames, ...) holds, no access leaves the blob, even if the
  /// bytes of the blob change.
  PackedOffsets(const uint8_t* frames, const uint8_t* blob) : frames_(frames), blob_(blob) {}

  /// The location, in the blob, of the bits of a record's two boundaries. It is known before these bits are read, so
  /// they can be prefetched.
  struct Slot {
    const uint8_t* frame;
    const uint8_t* word;  ///< the eight bytes that hold all or most bits of the field of the record's begin
    uint32_t j;           ///< index of the record in its frame
    uint32_t shift;       ///< offset of the field in the word, in bits
    uint32_t width;       ///< size of a field, in bits
  };

  /// Returns the slot of record `i` of the block; `i` is less than the number of records that the blob is sound for.
  [[nodiscard]] Slot SlotOf(uint32_t i) const {
    const uint8_t* frame = frames_ + (i / kFrameRecords) * kFrameBytes;
    const uint32_t j = i % kFrameRecords;
    const uint32_t width = frame[20];
    const uint64_t at = uint64_t{j} * width;
    return {.frame = frame,
            .word = blob_ + LoadLe32(frame + 16) + (at >> 3),
            .j = j,
            .shift = static_cast<uint32_t>(at & 7),
            .width = width};
  }

  [[nodiscard]] static Extent ExtentAt(const Slot& slot) {
    const uint64_t base = LoadLe64(slot.frame);
    const uint64_t slope = LoadLe64(slot.frame + 8);
    const uint32_t next = slot.shift + slot.width;
    return {base + ((slope * slot.j) >> 12) + Field(slot.word, slot.shift, slot.width),
            base + ((slope * (slot.j + 1)) >> 12) + Field(slot.word + (next >> 3), next & 7, slot.width)};
  }

  /// Returns the extent of record `i` of the block.
  [[nodiscard]] Extent At(uint32_t i) const { return ExtentAt(SlotOf(i)); }

 private:
  [[nodiscard]] static uint64_t Field(const uint8_t* word, uint32_t shift, uint32_t width) {
    uint64_t field = LoadLe64(word) >> shift;
    if (shift + width > 64) [[unlikely]]
      field |= uint64_t{word[8]} << (64 - shift);
    return width == 64 ? field : field & ((uint64_t{1} << width) - 1);
  }

  const uint8_t* frames_;
  const uint8_t* blob_;
};

}  // namespace ofindex
