#include "index/chunks/integers.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <type_traits>
#include <vector>

#include "index/chunks/distinct.h"
#include "index/chunks/sections/frames.h"
#include "proto/wire/varint.h"

namespace ofindex {
namespace {

uint64_t VarintBits(uint64_t value) { return 8 * VarintBytes(value); }

template <typename T>
struct Extremes {
  T min = std::numeric_limits<T>::max();
  T max = std::numeric_limits<T>::min();

  void Add(T value) {
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

// Offsets of 32 bits, all below 2^31, give the same plans as offsets of 64 bits in a fraction of the time: compilers
// compute their extremes, and those of their differences, with vector instructions.
constexpr uint64_t kMaxNarrow = std::numeric_limits<int32_t>::max();

// Offsets as numbers whose order they have, and their differences.
template <typename T>
using Ordered = std::conditional_t<sizeof(T) == 4, int32_t, uint64_t>;
template <typename T>
using Difference = std::make_signed_t<T>;

template <typename T>
Frame OffsetFrame(std::span<const T> offsets) {
  Extremes<Ordered<T>> extremes;
  for (const T offset : offsets) extremes.Add(static_cast<Ordered<T>>(offset));
  return {static_cast<int64_t>(extremes.min), Width(extremes.range())};
}

// Returns the frame for the differences of neighbours in `offsets`. They are taken modulo 2^64, and need no more bits
// than the resulting offsets.
template <typename T>
Frame DeltaFrame(std::span<const T> offsets, uint32_t offset_bits) {
  Extremes<Difference<T>> extremes;
  for (size_t i = 1; i < offsets.size(); ++i) extremes.Add(static_cast<Difference<T>>(offsets[i] - offsets[i - 1]));
  const uint32_t width =
      Width(static_cast<uint64_t>(int64_t{extremes.max}) - static_cast<uint64_t>(int64_t{extremes.min}));
  return width < offset_bits ? Frame{extremes.min, width} : Frame{0, offset_bits};
}

// Packed fields are the fastest to read: another encoding must save at least a sixteenth.
bool Better(uint64_t bits, uint64_t than_bits) { return bits + bits / 16 < than_bits; }

template <typename T>
void WritePacked(std::span<const T> offsets, uint32_t width, ChunkWriter& out) {
  std::vector<uint8_t> fields;
  PackBits(offsets, width, fields);
  WriteSection(fields, out);
}

void WriteEncoding(IntegerEncoding encoding, ChunkWriter& out) { out.Byte(static_cast<uint8_t>(encoding)); }

// Chooses the smallest encoding that needs no dictionary, and writes it.
template <typename T>
class OffsetsPlan {
 public:
  OffsetsPlan(std::span<const T> offsets, uint64_t range) : offsets_(offsets), range_(range) {
    const size_t deltas = offsets.size() - 1;
    for (size_t begin = 0; begin < offsets.size(); begin += kFrameValues) {
      const size_t size = std::min(kFrameValues, offsets.size() - begin);
      frames_.Add(OffsetFrame(offsets.subspan(begin, size)), size);
      if (begin == deltas) break;
      const size_t steps = std::min(kFrameValues, deltas - begin);
      steps_.Add(DeltaFrame(offsets.subspan(begin, steps + 1), OffsetBits(range)), steps);
    }
    if (Better(frames_.bits, bits_)) Choose(IntegerEncoding::kFrames, frames_.bits);
    if (Better(steps_.bits, bits_)) Choose(IntegerEncoding::kDeltas, steps_.bits);
  }

  [[nodiscard]] uint64_t bits() const { return bits_; }

  void Write(int64_t min, ChunkWriter& out) const {
    WriteEncoding(encoding_, out);
    out.Signed(min);
    out.Varint(range_);
    if (encoding_ == IntegerEncoding::kPacked) return WritePacked(offsets_, Width(range_), out);
    if (encoding_ == IntegerEncoding::kFrames) return WriteFrames(std::span(frames_.frames), offsets_, out);
    std::vector<T> deltas(offsets_.size() - 1);
    for (size_t i = 0; i < deltas.size(); ++i) deltas[i] = offsets_[i + 1] - offsets_[i];
    out.Varint(offsets_.front());
    WriteFrames(std::span(steps_.frames), std::span<const T>(deltas), out);
  }

 private:
  void Choose(IntegerEncoding encoding, uint64_t bits) {
    encoding_ = encoding;
    bits_ = bits;
  }

  std::span<const T> offsets_;
  uint64_t range_;
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
template <typename T>
std::optional<DistinctNumbers> WorthDictionary(std::span<const T> offsets, uint64_t range, uint64_t bits) {
  if (bits <= 2 * offsets.size()) return std::nullopt;
  std::optional<DistinctNumbers> distinct = DistinctNumbers::Find(offsets, range, offsets.size() / 2);
  if (!distinct || !Better(DictionaryBits(distinct->sorted().size(), offsets.size(), range), bits)) return std::nullopt;
  return distinct;
}

template <typename T>
void WriteDictionary(const DistinctNumbers& distinct, std::span<const T> offsets, int64_t min, uint64_t range,
                     ChunkWriter& out) {
  const std::vector<uint64_t>& sorted = distinct.sorted();
  WriteEncoding(IntegerEncoding::kDictionary, out);
  out.Varint(sorted.size());
  OffsetsPlan(std::span(sorted), range).Write(min, out);
  out.Cost(sorted.size() * kIntegerCost);
  const std::vector<uint32_t> numbers = distinct.NumbersOf(offsets);
  WritePacked(std::span(numbers), Width(sorted.size() - 1), out);
}

// Writes `values`, which are between `min` and `min` + `range`, as offsets of type T.
template <typename T, typename Value>
void WriteOffsets(std::span<const Value> values, int64_t min, uint64_t range, ChunkWriter& out) {
  const auto memory = std::make_unique_for_overwrite<T[]>(values.size());
  for (size_t i = 0; i < values.size(); ++i)
    memory[i] = static_cast<T>(static_cast<uint64_t>(values[i]) - static_cast<uint64_t>(min));
  const std::span<const T> offsets(memory.get(), values.size());
  const OffsetsPlan<T> plan(offsets, range);
  const std::optional<DistinctNumbers> distinct = WorthDictionary(offsets, range, plan.bits());
  if (distinct) return WriteDictionary(*distinct, offsets, min, range, out);
  plan.Write(min, out);
}

template <typename Value>
void WriteValues(std::span<const Value> values, ChunkWriter& out) {
  if (values.empty()) return;
  out.Cost(values.size() * kIntegerCost);
  Extremes<Value> all;
  for (const Value value : values) all.Add(value);
  const auto min = static_cast<int64_t>(all.min);
  const uint64_t range = all.range();
  if (range == 0) return WriteConstant(min, out);
  if (range <= kMaxNarrow) return WriteOffsets<uint32_t>(values, min, range, out);
  WriteOffsets<uint64_t>(values, min, range, out);
}

}  // namespace

void WriteIntegers(std::span<const int64_t> values, ChunkWriter& out) { WriteValues(values, out); }
void WriteIntegers(std::span<const uint32_t> values, ChunkWriter& out) { WriteValues(values, out); }

}  // namespace ofindex
