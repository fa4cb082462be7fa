#include "mmap/offsets/packed_offsets.h"

#include <doctest/doctest.h>

#include <functional>
#include <memory>
#include <random>
#include <vector>

namespace ofindex {
namespace {

constexpr uint64_t kTop = uint64_t{1} << 63;
constexpr uint32_t kCounts[] = {1, 2, 3, 100, 4095, 4096, 4097, 8192, 12'289, 65'535, 65'536};

using Boundaries = std::vector<uint64_t>;

// Returns the boundaries of `records` records starting at `first`, with lengths given by `length`.
Boundaries MakeBoundaries(uint32_t records, uint64_t first, const std::function<uint64_t(uint32_t)>& length) {
  Boundaries boundaries = {first};
  for (uint32_t i = 0; i < records; ++i) boundaries.push_back(boundaries.back() + length(i));
  return boundaries;
}

// The blob in an allocation of exactly its size, so that the sanitizer catches every read beyond it.
struct ExactBlob {
  explicit ExactBlob(ByteView bytes) : memory(std::make_unique<uint8_t[]>(bytes.size())), size(bytes.size()) {
    std::copy(bytes.begin(), bytes.end(), memory.get());
  }
  [[nodiscard]] ByteView bytes() const { return {memory.get(), size}; }

  std::unique_ptr<uint8_t[]> memory;
  size_t size;
};

// Packs the boundaries, and returns the number of records that differ when read back.
uint32_t CountWrong(const Boundaries& boundaries) {
  const ExactBlob blob(PackOffsets(boundaries));
  const auto records = static_cast<uint32_t>(boundaries.size() - 1);
  REQUIRE(PackedOffsets::Sound(blob.bytes(), records));
  const PackedOffsets packed(blob.memory.get());
  uint32_t wrong = 0;
  for (uint32_t i = 0; i < records; ++i) {
    const auto [begin, end] = packed.At(i);
    wrong += begin != boundaries[i] || end != boundaries[i + 1];
  }
  return wrong;
}

double BitsPerRecord(const Boundaries& boundaries) {
  return 8.0 * static_cast<double>(PackOffsets(boundaries).size()) / static_cast<double>(boundaries.size() - 1);
}

TEST_CASE("every record is unpacked as it was packed, whatever the lengths") {
  std::mt19937_64 random(11);
  const auto up_to = [&](uint64_t most) { return [&random, most](uint32_t) { return random() % (most + 1); }; };
  struct Row {
    const char* what;
    std::function<uint64_t(uint32_t)> length;
  };
  const Row rows[] = {
      {"of one size", [](uint32_t) { return 100; }},
      {"empty", [](uint32_t) { return 0; }},
      {"of one byte", [](uint32_t) { return 1; }},
      {"small", up_to(700)},
      {"images", up_to(220'000)},
      {"ever longer", [](uint32_t i) { return uint64_t{i}; }},
      {"ever shorter", [](uint32_t i) { return uint64_t{65'536} - i; }},
      {"a large record among small ones", [](uint32_t i) { return i % 4096 == 4000 ? uint64_t{1} << 40 : 16; }},
      {"a large first record", [](uint32_t i) { return i == 0 ? uint64_t{1} << 40 : 16; }},
      {"a large last record in each frame", [](uint32_t i) { return i % 4096 == 4095 ? uint64_t{1} << 40 : 16; }},
      {"of every magnitude", [&](uint32_t) { return random() >> (20 + random() % 44); }},
      {"gigabytes", up_to(uint64_t{1} << 33)},
  };
  for (const Row& row : rows) {
    for (uint32_t records : kCounts) {
      for (uint64_t first : {uint64_t{0}, uint64_t{1} << 32, kTop - 1000}) {
        CAPTURE(row.what);
        CAPTURE(records);
        CAPTURE(first);
        CHECK(CountWrong(MakeBoundaries(records, first, row.length)) == 0);
      }
    }
  }
}

TEST_CASE("spans of up to 64 bits are packed, whatever their width") {
  const Boundaries rows[] = {
      {0, ~uint64_t{0}},     // one record of 2^64 - 1 bytes
      {0, 0, ~uint64_t{0}},  // differences of 64 bits from the line, below and above
      {0, ~uint64_t{0}, ~uint64_t{0}},
      {0, kTop - 1, kTop, kTop + 1, ~uint64_t{0}},  // either side of 2^63
      {kTop, kTop, kTop},
      {5, 5 + kTop},
      {0, (uint64_t{1} << 50) - 1},  // the last range with a slope
      {0, 0, uint64_t{1} << 50},     // the first without one
      {1, uint64_t{1} << 62, uint64_t{3} << 62},
  };
  for (const Boundaries& boundaries : rows) CHECK(CountWrong(boundaries) == 0);
}

TEST_CASE("fields of every width are read across word boundaries") {
  std::mt19937_64 random(13);
  for (int width = 0; width <= 63; ++width) {
    // Boundaries that differ from a flat line by up to `width` bits.
    Boundaries boundaries = {0};
    const uint64_t top = width == 0 ? 0 : (uint64_t{1} << width) - 1;
    for (int i = 0; i < 130; ++i) boundaries.push_back(random() & top);
    std::sort(boundaries.begin(), boundaries.end());
    CAPTURE(width);
    CHECK(CountWrong(boundaries) == 0);
  }
}

TEST_CASE("the packed offsets of no records are sound, and 8 bytes long") {
  CHECK(PackOffsets({}).size() == PackedOffsets::kPaddingBytes);
  CHECK(PackOffsets(Boundaries{42}).size() == PackedOffsets::kPaddingBytes);
  CHECK(PackedOffsets::Sound(PackOffsets({}), 0));
}

TEST_CASE("records of equal size take no bits each, small records about 13, and images about 22") {
  std::mt19937_64 random(17);
  constexpr uint32_t kRecords = 65'536;
  const auto frames = 8.0 * 24 / 4096 + 1;  // the cost of the frames' headers and the padding
  CHECK(BitsPerRecord(MakeBoundaries(kRecords, 1'000'000, [](uint32_t) { return 3181; })) < frames);
  // Lengths vary as in design.md: by a fifth for small records, by two fifths for images.
  CHECK(BitsPerRecord(MakeBoundaries(kRecords, 0, [&](uint32_t) { return 200 + random() % 100; })) < 13 + frames);
  CHECK(BitsPerRecord(MakeBoundaries(kRecords, 0, [&](uint32_t) { return 60'000 + random() % 100'000; })) <
        23 + frames);
}

TEST_CASE("truncated packed offsets are not sound") {
  std::mt19937_64 random(19);
  for (uint32_t records : {0U, 1U, 100U, 4097U}) {
    for (uint64_t most : {uint64_t{0}, uint64_t{5}, uint64_t{1} << 60}) {
      const Boundaries boundaries = MakeBoundaries(records, 7, [&](uint32_t) { return random() % (most + 1); });
      const std::vector<uint8_t> blob = PackOffsets(boundaries);
      REQUIRE(PackedOffsets::Sound(blob, records));
      uint64_t sound = 0;
      for (size_t size = 0; size < blob.size(); ++size)
        sound += PackedOffsets::Sound(ByteView(blob).first(size), records);
      CHECK(sound == 0);
    }
  }
}

TEST_CASE("packed offsets are not sound for more records than were packed, nor for more than a block can hold") {
  const std::vector<uint8_t> blob = PackOffsets(MakeBoundaries(4096, 0, [](uint32_t i) { return i % 3; }));
  CHECK(PackedOffsets::Sound(blob, 4096));
  CHECK_FALSE(PackedOffsets::Sound(blob, 4096 + 64));
  CHECK_FALSE(PackedOffsets::Sound(std::vector<uint8_t>(1'000'000), kBlockRecords + 1));
  CHECK_FALSE(PackedOffsets::Sound(std::vector<uint8_t>(1'000'000), ~uint32_t{0}));
}

TEST_CASE("fields wider than 64 bits are not sound, even if there is room for them") {
  std::vector<uint8_t> blob(10'000);
  blob[20] = 64;
  CHECK(PackedOffsets::Sound(blob, 100));
  blob[20] = 65;
  CHECK_FALSE(PackedOffsets::Sound(blob, 100));
}

// Returns true if `bytes` are sound for `records` records. Then also reads every record, so that the sanitizer detects
// reads past the end.
bool ReadAllIfSound(const std::vector<uint8_t>& bytes, uint32_t records) {
  const ExactBlob blob(bytes);
  if (!PackedOffsets::Sound(blob.bytes(), records)) return false;
  const PackedOffsets packed(blob.memory.get());
  uint64_t sum = 0;
  for (uint32_t i = 0; i < records; ++i) sum += packed.At(i).end;
  static_cast<void>(sum);
  return true;
}

TEST_CASE("if random bytes pass as sound packed offsets, no bytes outside them are read") {
  std::mt19937_64 random(23);
  uint32_t sound = 0, refused = 0;
  for (int i = 0; i < 20'000; ++i) {
    const auto records = static_cast<uint32_t>(random() % 200);
    std::vector<uint8_t> bytes(random() % 400);
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
    if (bytes.size() >= 24 && i % 2 == 0) {
      // Offset and width of the bits, close to the valid range: otherwise almost nothing would be sound.
      StoreLe32(bytes.data() + 16, static_cast<uint32_t>(random() % 64));
      bytes[20] = static_cast<uint8_t>(random() % 66);
    }
    ++(ReadAllIfSound(bytes, records) ? sound : refused);
  }
  CHECK(sound > 1000);
  CHECK(refused > 1000);
}

TEST_CASE("packed offsets with any bit of a frame's header flipped are readable or not sound") {
  const std::vector<uint8_t> blob = PackOffsets(MakeBoundaries(4100, 99, [](uint32_t i) { return i % 50; }));
  uint32_t sound = 0;
  for (size_t at = 0; at < 48; ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::vector<uint8_t> flipped = blob;
      flipped[at] = static_cast<uint8_t>(flipped[at] ^ (1 << bit));
      sound += ReadAllIfSound(flipped, 4100);
    }
  }
  CHECK(sound > 256);  // base and slope may have any value
  CHECK(sound < 384);  // offset and width may not
}

}  // namespace
}  // namespace ofindex
