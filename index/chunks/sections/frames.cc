#include "index/chunks/sections/frames.h"

#include <algorithm>

namespace ofindex {
namespace {

size_t FrameSize(size_t frame, size_t values) { return std::min(kFrameValues, values - frame * kFrameValues); }

// Reads the headers of all frames of `values` values, none wider than `widest` bits.
Result<std::vector<Frame>> ReadHeaders(ChunkReader& in, size_t values, uint32_t widest) {
  std::vector<Frame> frames(FrameCount(values));
  for (Frame& frame : frames) {
    OFINDEX_ASSIGN(frame.width, in.Byte());
    OFINDEX_ASSIGN(frame.base, in.Signed());
    if (frame.width > widest) return in.Damaged("a field is wider than its number");
  }
  return frames;
}

uint64_t FieldsBytes(std::span<const Frame> frames, size_t values) {
  uint64_t bytes = 0;
  for (size_t f = 0; f < frames.size(); ++f) bytes += BitsBytes(FrameSize(f, values), frames[f].width);
  return bytes;
}

}  // namespace

template <typename T>
void WriteFrames(std::span<const Frame> frames, std::span<const T> values, ChunkWriter& out) {
  std::vector<uint8_t> fields;
  std::vector<T> distances;
  for (size_t f = 0; f < frames.size(); ++f) {
    const Frame& frame = frames[f];
    out.Byte(static_cast<uint8_t>(frame.width));
    out.Signed(frame.base);
    distances.clear();
    for (T value : values.subspan(f * kFrameValues, FrameSize(f, values.size())))
      distances.push_back(value - static_cast<T>(frame.base));
    PackBits(std::span<const T>(distances), frame.width, fields);
  }
  WriteSection(fields, out);
}

template void WriteFrames(std::span<const Frame>, std::span<const uint32_t>, ChunkWriter&);
template void WriteFrames(std::span<const Frame>, std::span<const uint64_t>, ChunkWriter&);

template <typename T>
Result<void> ReadFrames(ChunkReader& in, std::span<T> out) {
  OFINDEX_ASSIGN(const std::vector<Frame> frames, ReadHeaders(in, out.size(), 8 * sizeof(T)));
  OFINDEX_ASSIGN(const Section section, Section::Read(in, FieldsBytes(frames, out.size())));
  ByteView fields = section.bytes();
  for (size_t f = 0; f < frames.size(); ++f) {
    const std::span<T> values = out.subspan(f * kFrameValues, FrameSize(f, out.size()));
    const uint64_t bytes = BitsBytes(values.size(), frames[f].width);
    UnpackBits(fields.first(bytes), frames[f].width, values);
    fields = fields.subspan(bytes);
    const T base = static_cast<T>(frames[f].base);
    for (T& value : values) value = static_cast<T>(value + base);
  }
  return {};
}

template Result<void> ReadFrames(ChunkReader&, std::span<uint8_t>);
template Result<void> ReadFrames(ChunkReader&, std::span<uint16_t>);
template Result<void> ReadFrames(ChunkReader&, std::span<uint32_t>);
template Result<void> ReadFrames(ChunkReader&, std::span<uint64_t>);

}  // namespace ofindex
