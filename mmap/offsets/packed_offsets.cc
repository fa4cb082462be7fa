#include "mmap/offsets/packed_offsets.h"

#include <algorithm>
#include <bit>

namespace ofindex {
namespace {

uint64_t FrameCount(uint64_t records) {
  return (records + PackedOffsets::kFrameRecords - 1) / PackedOffsets::kFrameRecords;
}

uint64_t BitsBytes(uint64_t fields, uint32_t width) { return (fields * width + 7) / 8; }

// The line from which a frame's boundaries are measured, and the largest distance above it.
struct Line {
  uint64_t base = 0;
  uint64_t slope = 0;
  uint32_t width = 0;

  uint64_t At(uint64_t j) const { return base + ((slope * j) >> 12); }
};

Line FitLine(std::span<const uint64_t> boundaries) {
  Line line{.base = boundaries.front()};
  const uint64_t count = boundaries.size() - 1;
  const uint64_t span = boundaries.back() - boundaries.front();
  // Frames that span petabytes would overflow the fixed point: they get a flat line and wide fields.
  if (span < uint64_t{1} << 50) line.slope = (span << 12) / count;
  int64_t lowest = 0;
  int64_t highest = 0;
  for (uint64_t j = 0; j <= count; ++j) {
    const auto above = static_cast<int64_t>(boundaries[j] - line.At(j));
    lowest = std::min(lowest, above);
    highest = std::max(highest, above);
  }
  line.base += static_cast<uint64_t>(lowest);
  line.width = static_cast<uint32_t>(std::bit_width(static_cast<uint64_t>(highest) - static_cast<uint64_t>(lowest)));
  return line;
}

void PutField(uint8_t* bits, uint32_t width, uint64_t j, uint64_t value) {
  const uint64_t at = j * width;
  uint8_t* word = bits + (at >> 3);
  const uint32_t shift = static_cast<uint32_t>(at & 7);
  StoreLe64(word, LoadLe64(word) | (value << shift));
  if (shift + width > 64) word[8] = static_cast<uint8_t>(word[8] | (value >> (64 - shift)));
}

}  // namespace

std::vector<uint8_t> PackOffsets(std::span<const uint64_t> boundaries) {
  const uint64_t records = boundaries.empty() ? 0 : boundaries.size() - 1;
  const uint64_t frames = FrameCount(records);
  std::vector<uint8_t> blob(frames * PackedOffsets::kFrameBytes + PackedOffsets::kPaddingBytes);
  for (uint64_t f = 0; f < frames; ++f) {
    const uint64_t first = f * PackedOffsets::kFrameRecords;
    const uint64_t fields = std::min<uint64_t>(PackedOffsets::kFrameRecords, records - first) + 1;
    const std::span<const uint64_t> frame_boundaries = boundaries.subspan(first, fields);
    const Line line = FitLine(frame_boundaries);
    const uint64_t at = blob.size() - PackedOffsets::kPaddingBytes;
    blob.resize(blob.size() + BitsBytes(fields, line.width));
    uint8_t* header = blob.data() + f * PackedOffsets::kFrameBytes;
    StoreLe64(header, line.base);
    StoreLe64(header + 8, line.slope);
    StoreLe32(header + 16, static_cast<uint32_t>(at));
    header[20] = static_cast<uint8_t>(line.width);
    if (line.width == 0) continue;
    for (uint64_t j = 0; j < fields; ++j) PutField(blob.data() + at, line.width, j, frame_boundaries[j] - line.At(j));
  }
  return blob;
}

bool PackedOffsets::Sound(ByteView head, uint64_t blob_bytes, uint32_t records) {
  const uint64_t frames = FrameCount(records);
  const uint64_t headers = FramesBytes(records);
  if (records > kBlockRecords || headers > head.size() || !Fits(headers, kPaddingBytes, blob_bytes)) return false;
  for (uint64_t f = 0; f < frames; ++f) {
    const uint8_t* header = head.data() + f * kFrameBytes;
    const uint64_t at = LoadLe32(header + 16);
    const uint32_t width = header[20];
    const uint64_t fields = std::min<uint64_t>(kFrameRecords, records - f * kFrameRecords) + 1;
    if (width > 64 || !Fits(at, BitsBytes(fields, width) + kPaddingBytes, blob_bytes)) return false;
  }
  return true;
}

}  // namespace ofindex
