#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "base/allocation.h"
#include "index/chunks/chunk.h"
#include "index/chunks/integers.h"
#include "index/chunks/presence.h"
#include "index/chunks/reals.h"
#include "index/chunks/sections/chunk_format.h"
#include "index/chunks/sections/chunk_io.h"
#include "index/chunks/strings.h"
#include "index/chunks/value_groups.h"

namespace ofindex {
namespace {

// The values of a chunk as stored: by group, without gaps.
struct Groups {
  Chunk::Integers integers;
  std::vector<float> floats;
  std::vector<double> doubles;
  Chunk::Strings strings;
};

Result<Groups> ReadGroups(ChunkReader& in, const ByGroup<uint64_t>& counts) {
  Groups groups;
  OFINDEX_ASSIGN(groups.integers, ReadIntegers(in, counts[ValueGroup::kIntegers]));
  OFINDEX_ASSIGN(groups.floats, ReadFloats(in, counts[ValueGroup::kFloats]));
  OFINDEX_ASSIGN(groups.doubles, ReadDoubles(in, counts[ValueGroup::kDoubles]));
  OFINDEX_ASSIGN(groups.strings, ReadStrings(in, counts[ValueGroup::kBytes]));
  return groups;
}

// Moves each value to its place among `records`: values[i] goes to places[i], all other places get 0. If `places` is
// empty, the values are already in place.
template <typename T>
std::vector<T> Spread(std::vector<T>&& values, std::span<const uint32_t> places, uint32_t records) {
  if (places.empty() || places.size() == records) return std::move(values);
  std::vector<T> spread(records);
  for (size_t i = 0; i < places.size(); ++i) spread[places[i]] = values[i];
  return spread;
}

Chunk::Integers Spread(Chunk::Integers&& integers, std::span<const uint32_t> places, uint32_t records) {
  std::visit([&](auto& offsets) { offsets = Spread(std::move(offsets), places, records); }, integers.offsets);
  return std::move(integers);
}

Result<std::vector<FeatureKind>> ReadKinds(ChunkReader& in, uint64_t count) {
  OFINDEX_ASSIGN(const Chunk::Integers numbers, ReadIntegers(in, count));
  std::vector<FeatureKind> kinds;
  kinds.reserve(count);
  bool known = true;
  ForEachInteger(numbers, [&](int64_t number) {
    known = known && number >= 0 && number <= static_cast<int64_t>(FeatureKind::kInt64);
    kinds.push_back(static_cast<FeatureKind>(known ? number : 0));
  });
  if (!known) return in.Damaged("an unknown kind");
  return kinds;
}

// The numbers of a list chunk, group by group, as bits. The values of each record are taken from it in turn.
struct ListNumbers {
  explicit ListNumbers(const Groups& groups) {
    ForEachInteger(groups.integers,
                   [&](int64_t v) { left[ValueGroup::kIntegers].push_back(static_cast<uint64_t>(v)); });
    for (float v : groups.floats) left[ValueGroup::kFloats].push_back(std::bit_cast<uint32_t>(v));
    for (double v : groups.doubles) left[ValueGroup::kDoubles].push_back(std::bit_cast<uint64_t>(v));
  }

  ByGroup<std::vector<uint64_t>> left;
  ByGroup<size_t> taken;
};

}  // namespace

// Decodes a chunk from untrusted bytes.
class Chunk::Decoder {
 public:
  Decoder(ByteView data, uint32_t records) : in_(data, records) { chunk_.records_ = records; }

  [[nodiscard]] Result<Chunk> Decode() {
    if (chunk_.records_ > kMaxChunkRecords) return in_.Damaged("more records than a block has");
    OFINDEX_ASSIGN(const uint8_t version, in_.Byte());
    if (version != kChunkVersion) return in_.Unknown("version", version);
    OFINDEX_ASSIGN(const uint8_t content, in_.Byte());
    OFINDEX_ASSIGN(const uint64_t records, in_.Varint());
    if (records != chunk_.records_) return in_.Damaged("its number of records differs from that of its block");
    if (content > static_cast<uint8_t>(ChunkContent::kLists)) return in_.Unknown("content", content);
    OFINDEX_TRY(ReadContent(static_cast<ChunkContent>(content)));
    OFINDEX_TRY(in_.End());
    return std::move(chunk_);
  }

 private:
  static_assert(static_cast<int>(Form::kLists) == static_cast<int>(ChunkContent::kLists));

  [[nodiscard]] Result<void> ReadContent(ChunkContent content) {
    chunk_.form_ = static_cast<Form>(content);
    if (content == ChunkContent::kEmpty) {
      chunk_.present_.resize((size_t{chunk_.records_} + 63) / 64);
      return {};
    }
    OFINDEX_ASSIGN(chunk_.present_, ReadPresence(in_, chunk_.records_));
    for (uint64_t word : chunk_.present_) count_ += static_cast<uint32_t>(std::popcount(word));
    if (count_ == 0) return in_.Damaged("no record has a value");
    if (count_ != chunk_.records_) places_ = SetBits(chunk_.present_);
    if (content == ChunkContent::kMixed) return ReadMixed();
    if (content == ChunkContent::kLists) return ReadLists();
    return ReadUniform(static_cast<size_t>(content) - static_cast<size_t>(ChunkContent::kIntegers));
  }

  [[nodiscard]] Result<void> ReadUniform(size_t group) {
    ByGroup<uint64_t> counts;
    ByGroup<std::span<const uint32_t>> places;
    counts.all[group] = count_;
    places.all[group] = places_;
    return ReadScalars(counts, places);
  }

  [[nodiscard]] Result<void> ReadMixed() {
    OFINDEX_ASSIGN(std::vector<FeatureKind> kinds, ReadKinds(in_, count_));
    ByGroup<std::vector<uint32_t>> places;
    for (size_t i = 0; i < kinds.size(); ++i) places[GroupOf(kinds[i])].push_back(PlaceOf(i));
    if (!places[ValueGroup::kNone].empty()) return in_.Damaged("a value without a kind");
    ByGroup<uint64_t> counts;
    ByGroup<std::span<const uint32_t>> views;
    for (size_t group = 0; group < kValueGroups; ++group) {
      counts.all[group] = places.all[group].size();
      views.all[group] = places.all[group];
    }
    chunk_.kinds_ = Spread(std::move(kinds), places_, chunk_.records_);
    return ReadScalars(counts, views);
  }

  [[nodiscard]] Result<void> ReadScalars(const ByGroup<uint64_t>& counts,
                                         const ByGroup<std::span<const uint32_t>>& places) {
    OFINDEX_ASSIGN(Groups groups, ReadGroups(in_, counts));
    const uint32_t records = chunk_.records_;
    chunk_.integers_ = Spread(std::move(groups.integers), places[ValueGroup::kIntegers], records);
    chunk_.floats_ = Spread(std::move(groups.floats), places[ValueGroup::kFloats], records);
    chunk_.doubles_ = Spread(std::move(groups.doubles), places[ValueGroup::kDoubles], records);
    groups.strings.number = Spread(std::move(groups.strings.number), places[ValueGroup::kBytes], records);
    chunk_.strings_ = std::move(groups.strings);
    return {};
  }

  [[nodiscard]] Result<void> ReadLists() {
    OFINDEX_ASSIGN(std::vector<FeatureKind> kinds, ReadKinds(in_, count_));
    OFINDEX_ASSIGN(const std::vector<uint32_t> lengths, ReadLengths());
    ByGroup<uint64_t> counts;
    for (size_t i = 0; i < kinds.size(); ++i) counts[GroupOf(kinds[i])] += lengths[i];
    if (counts[ValueGroup::kNone] != 0) return in_.Damaged("a value without a kind");
    OFINDEX_ASSIGN(Groups groups, ReadGroups(in_, counts));
    PlaceLists(kinds, lengths, std::move(groups));
    const bool same = std::all_of(kinds.begin(), kinds.end(), [&](FeatureKind kind) { return kind == kinds.front(); });
    if (same) kinds.resize(1);
    chunk_.lists_.kinds = same ? std::move(kinds) : Spread(std::move(kinds), places_, chunk_.records_);
    return {};
  }

  // Reads the lengths of all lists; their sum is at most what a chunk may hold.
  [[nodiscard]] Result<std::vector<uint32_t>> ReadLengths() {
    OFINDEX_ASSIGN(const Integers integers, ReadIntegers(in_, count_));
    std::vector<uint32_t> lengths;
    uint64_t largest = 0;
    uint64_t sum = 0;
    ForEachInteger(integers, [&](int64_t length) {
      largest = std::max(largest, static_cast<uint64_t>(length));
      sum += static_cast<uint32_t>(length);
      lengths.push_back(static_cast<uint32_t>(length));
    });
    constexpr uint64_t kMax = kMaxChunkBytes / kIntegerCost;
    if (largest > kMax || sum > kMax) return in_.Damaged("lists are longer than a chunk may be");
    OFINDEX_TRY(in_.Afford(sum, kIntegerCost));
    return lengths;
  }

  // Values are stored by group, and needed by record. Usually all are of one group, and already in place.
  void PlaceLists(std::span<const FeatureKind> kinds, std::span<const uint32_t> lengths, Groups&& groups) {
    chunk_.lists_.ends.resize(chunk_.records_);
    for (size_t i = 0; i < lengths.size(); ++i) chunk_.lists_.ends[PlaceOf(i)] = lengths[i];
    uint32_t end = 0;
    for (uint32_t& length : chunk_.lists_.ends) length = end += length;
    std::vector<uint32_t> text_numbers = std::move(groups.strings.number);
    ListNumbers numbers(groups);
    chunk_.lists_.numbers.resize(end);
    chunk_.strings_ = std::move(groups.strings);
    if (!text_numbers.empty()) chunk_.strings_.number.resize(end);
    size_t text = 0;
    for (size_t i = 0; i < lengths.size(); ++i) {
      // A group without any values has no array.
      if (lengths[i] == 0) continue;
      const ptrdiff_t begin = chunk_.lists_.ends[PlaceOf(i)] - lengths[i];
      const ValueGroup group = GroupOf(kinds[i]);
      if (group == ValueGroup::kBytes) {
        std::copy_n(text_numbers.begin() + static_cast<ptrdiff_t>(text), lengths[i],
                    chunk_.strings_.number.begin() + begin);
        text += lengths[i];
      } else {
        std::copy_n(numbers.left[group].begin() + static_cast<ptrdiff_t>(numbers.taken[group]), lengths[i],
                    chunk_.lists_.numbers.begin() + begin);
        numbers.taken[group] += lengths[i];
      }
    }
  }

  [[nodiscard]] uint32_t PlaceOf(size_t i) const { return places_.empty() ? static_cast<uint32_t>(i) : places_[i]; }

  ChunkReader in_;
  Chunk chunk_;
  uint32_t count_ = 0;            // records that have a value
  std::vector<uint32_t> places_;  // these records; empty if all have one
};

Result<Chunk> Chunk::Decode(ByteView data, uint32_t records) {
  return WithMemory("a column chunk", [&] { return Decoder(data, records).Decode(); });
}

}  // namespace ofindex
