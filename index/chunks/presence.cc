#include "index/chunks/presence.h"

#include <bit>
#include <cstring>

#include "index/chunks/integers.h"
#include "index/chunks/sections/section.h"

namespace ofindex {
namespace {

// Below this fraction of all records, listing the rarer side takes less than one bit per record.
constexpr uint32_t kRare = 16;

size_t WordCount(uint32_t records) { return (size_t{records} + 63) / 64; }

std::vector<uint64_t> AllSet(uint32_t records) {
  std::vector<uint64_t> words(WordCount(records), ~uint64_t{0});
  if (records % 64 != 0) words.back() >>= 64 - records % 64;
  return words;
}

std::vector<uint64_t> Bitmap(std::span<const uint32_t> present, uint32_t records) {
  std::vector<uint64_t> words(WordCount(records));
  for (uint32_t record : present) words[record / 64] |= uint64_t{1} << (record % 64);
  return words;
}

std::vector<uint64_t> Inverted(std::vector<uint64_t> words, uint32_t records) {
  const std::vector<uint64_t> all = AllSet(records);
  for (size_t i = 0; i < words.size(); ++i) words[i] ^= all[i];
  return words;
}

void WriteList(PresenceEncoding encoding, std::span<const uint32_t> records, ChunkWriter& out) {
  out.Byte(static_cast<uint8_t>(encoding));
  out.Varint(records.size());
  WriteIntegers(records, out);
}

Result<std::vector<uint64_t>> ReadBitmap(ChunkReader& in, uint32_t records) {
  const size_t size = (size_t{records} + 7) / 8;
  OFINDEX_ASSIGN(const Section section, Section::Read(in, size));
  std::vector<uint64_t> words(WordCount(records));
  if (size != 0) std::memcpy(words.data(), section.bytes().data(), size);
  if (records % 64 != 0 && words.back() >> (records % 64) != 0) return in.Damaged("more records than there are");
  return words;
}

Result<std::vector<uint64_t>> ReadList(ChunkReader& in, uint32_t records) {
  OFINDEX_ASSIGN(const uint64_t count, in.Varint());
  if (count > records) return in.Damaged("more records than there are");
  OFINDEX_ASSIGN(const Chunk::Integers listed, ReadIntegers(in, count));
  std::vector<uint64_t> words(WordCount(records));
  bool ascending = true;
  int64_t next = 0;
  ForEachInteger(listed, [&](int64_t record) {
    ascending = ascending && record >= next && record < int64_t{records};
    if (ascending) words[static_cast<size_t>(record) / 64] |= uint64_t{1} << (record % 64);
    next = ascending ? record + 1 : next;
  });
  if (!ascending) return in.Damaged("records are not in ascending order");
  return words;
}

}  // namespace

void WritePresence(std::span<const uint32_t> present, uint32_t records, ChunkWriter& out) {
  if (present.size() == records) return out.Byte(static_cast<uint8_t>(PresenceEncoding::kAll));
  if (present.size() < records / kRare) return WriteList(PresenceEncoding::kPresent, present, out);
  const std::vector<uint64_t> words = Bitmap(present, records);
  if (records - present.size() < records / kRare)
    return WriteList(PresenceEncoding::kAbsent, SetBits(Inverted(words, records)), out);
  out.Byte(static_cast<uint8_t>(PresenceEncoding::kBitmap));
  const auto* bytes = reinterpret_cast<const uint8_t*>(words.data());
  WriteSection(ByteView(bytes, (size_t{records} + 7) / 8), out);
}

Result<std::vector<uint64_t>> ReadPresence(ChunkReader& in, uint32_t records) {
  OFINDEX_ASSIGN(const uint8_t encoding, in.Byte());
  switch (static_cast<PresenceEncoding>(encoding)) {
    case PresenceEncoding::kAll: return AllSet(records);
    case PresenceEncoding::kBitmap: return ReadBitmap(in, records);
    case PresenceEncoding::kPresent: return ReadList(in, records);
    case PresenceEncoding::kAbsent: {
      OFINDEX_ASSIGN(std::vector<uint64_t> absent, ReadList(in, records));
      return Inverted(std::move(absent), records);
    }
  }
  return in.Unknown("presence encoding", encoding);
}

std::vector<uint32_t> SetBits(std::span<const uint64_t> words) {
  std::vector<uint32_t> set;
  for (size_t i = 0; i < words.size(); ++i) {
    for (uint64_t word = words[i]; word != 0; word &= word - 1)
      set.push_back(static_cast<uint32_t>(64 * i) + static_cast<uint32_t>(std::countr_zero(word)));
  }
  return set;
}

}  // namespace ofindex
