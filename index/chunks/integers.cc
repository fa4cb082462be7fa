#include "index/chunks/integers.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "index/chunks/distinct.h"
#include "index/chunks/sections/frames.h"
#include "proto/wire/varint.h"

namespace ofindex {
namespace {

uint64_t VarintBits(uint64_t value) { return 8 * VarintBytes(value); }

struct Extremes {
  int64_t min = std::numeric_limits<int64_t>::max();
  int64_t max = std::numeric_limits<int64_t>::min();

  void Add(int64_t value) {
    min = std::min(min, value);
    max = std::max(max, value);
  }
  [[nodiscard]] uint64_t range() const { return static_cast<uint64_t>(max) - static_cast<uint64_t>(min); }
};

// Frames of one kind, and their size in bits.
struct FramePlan {
  std::vector<Frame> frames = {};
  uint64_t bits = 0;

  void Add(const Frame& frame, size_t values) {
    frames.push_back(frame);
    const int64_t base = frame.base < 0 ? ~frame.base : frame.base;
    bits += 8 + VarintBits(static_cast<uint64_t>(base) << 1) + values * frame.width;
  }
};

// Differences are taken modulo 2^64, and need no more bits than the resulting offsets.
Frame DeltaFrame(const Extremes& deltas, uint32_t offset_bits) {
  const uint32_t width = Width(deltas.range());
  return width < offset_bits ? Frame{deltas.min, width} : Frame{0, offset_bits};
}

FramePlan PlanFrames(std::span<const uint64_t> offsets) {
  FramePlan plan;
  for (size_t begin = 0; begin < offsets.size(); begin += kFrameValues) {
    const auto frame = offsets.subspan(begin, std::min(kFrameValues, offsets.size() - begin));
    uint64_t min = frame.front(), max = frame.front();
    for (uint64_t offset : frame) {
      min = std::min(min, offset);
      max = std::max(max, offset);
    }
    plan.Add({static_cast<int64_t>(min), Width(max - min)}, frame.size());
  }
  return plan;
}

FramePlan PlanDeltas(std::span<const uint64_t> deltas, uint32_t offset_bits) {
  FramePlan plan;
  for (size_t begin = 0; begin < deltas.size(); begin += kFrameValues) {
    const auto frame = deltas.subspan(begin, std::min(kFrameValues, deltas.size() - begin));
    Extremes extremes;
    for (uint64_t delta : frame) extremes.Add(static_cast<int64_t>(delta));
    plan.Add(DeltaFrame(extremes, offset_bits), frame.size());
  }
  return plan;
}

std::vector<uint64_t> Deltas(std::span<const uint64_t> offsets) {
  std::vector<uint64_t> deltas(offsets.size() - 1);
  for (size_t i = 0; i < deltas.size(); ++i) deltas[i] = offsets[i + 1] - offsets[i];
  return deltas;
}

// Packed fields are the fastest to read: another encoding must save at least a sixteenth.
bool Better(uint64_t bits, uint64_t than_bits) { return bits + bits / 16 < than_bits; }

void WritePacked(std::span<const uint64_t> offsets, uint32_t width, ChunkWriter& out) {
  std::vector<uint8_t> fields;
  PackBits(offsets, width, fields);
  WriteSection(fields, out);
}

void WriteEncoding(IntegerEncoding encoding, ChunkWriter& out) { out.Byte(static_cast<uint8_t>(encoding)); }

// Chooses the smallest encoding that needs no dictionary, and writes it.
class OffsetsPlan {
 public:
  OffsetsPlan(std::span<const uint64_t> offsets, uint64_t range)
      : offsets_(offsets), range_(range), deltas_(Deltas(offsets)) {
    frames_ = PlanFrames(offsets);
    steps_ = PlanDeltas(deltas_, OffsetBits(range));
    if (Better(frames_.bits, bits_)) Choose(IntegerEncoding::kFrames, frames_.bits);
    if (Better(steps_.bits, bits_)) Choose(IntegerEncoding::kDeltas, steps_.bits);
  }

  [[nodiscard]] uint64_t bits() const { return bits_; }

  void Write(int64_t min, ChunkWriter& out) const {
    WriteEncoding(encoding_, out);
    out.Signed(min);
    out.Varint(range_);
    if (encoding_ == IntegerEncoding::kPacked) return WritePacked(offsets_, Width(range_), out);
    if (encoding_ == IntegerEncoding::kFrames) return WriteFrames(frames_.frames, offsets_, out);
    out.Varint(offsets_.front());
    WriteFrames(steps_.frames, deltas_, out);
  }

 private:
  void Choose(IntegerEncoding encoding, uint64_t bits) {
    encoding_ = encoding;
    bits_ = bits;
  }

  std::span<const uint64_t> offsets_;
  uint64_t range_;
  std::vector<uint64_t> deltas_;
  FramePlan frames_;
  FramePlan steps_;
  IntegerEncoding encoding_ = IntegerEncoding::kPacked;
  uint64_t bits_ = offsets_.size() * Width(range_);
};

void WriteConstant(int64_t value, ChunkWriter& out) {
  WriteEncoding(IntegerEncoding::kConstant, out);
  out.Signed(value);
}

// Estimates the size, in bits, of a dictionary of `distinct` ascending offsets and of `count` indexes into it. Each
// offset needs the bits of the mean distance between two offsets, and a few more if they are not evenly spaced.
uint64_t DictionaryBits(uint64_t distinct, uint64_t count, uint64_t range) {
  return distinct * (Width(range / distinct) + 3) + count * Width(distinct - 1) + 128;
}

// Returns the distinct values if a dictionary of them takes less than `bits`.
std::optional<DistinctNumbers> WorthDictionary(std::span<const uint64_t> offsets, uint64_t range, uint64_t bits) {
  if (bits <= 2 * offsets.size()) return std::nullopt;
  std::optional<DistinctNumbers> distinct = DistinctNumbers::Find(offsets, range, offsets.size() / 2);
  if (!distinct || !Better(DictionaryBits(distinct->sorted().size(), offsets.size(), range), bits)) return std::nullopt;
  return distinct;
}

void WriteDictionary(const DistinctNumbers& distinct, std::span<const uint64_t> offsets, int64_t min, uint64_t range,
                     ChunkWriter& out) {
  const std::vector<uint64_t>& sorted = distinct.sorted();
  WriteEncoding(IntegerEncoding::kDictionary, out);
  out.Varint(sorted.size());
  OffsetsPlan(sorted, range).Write(min, out);
  out.Cost(sorted.size() * kIntegerCost);
  WritePacked(distinct.NumbersOf(offsets), Width(sorted.size() - 1), out);
}

}  // namespace

void WriteIntegers(std::span<const int64_t> values, ChunkWriter& out) {
  if (values.empty()) return;
  out.Cost(values.size() * kIntegerCost);
  Extremes all;
  for (int64_t value : values) all.Add(value);
  if (all.range() == 0) return WriteConstant(all.min, out);
  std::vector<uint64_t> offsets(values.size());
  for (size_t i = 0; i < values.size(); ++i)
    offsets[i] = static_cast<uint64_t>(values[i]) - static_cast<uint64_t>(all.min);
  const OffsetsPlan plan(offsets, all.range());
  const std::optional<DistinctNumbers> distinct = WorthDictionary(offsets, all.range(), plan.bits());
  if (distinct) return WriteDictionary(*distinct, offsets, all.min, all.range(), out);
  plan.Write(all.min, out);
}

}  // namespace ofindex
