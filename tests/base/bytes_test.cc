#include "base/bytes.h"

#include <doctest/doctest.h>

#include <array>
#include <string>

namespace ofindex {
namespace {

constexpr uint64_t kTop = uint64_t{1} << 63;
constexpr uint64_t kMax = ~uint64_t{0};

TEST_CASE("a range fits in a size only if its end, computed without overflow, is at most the size") {
  struct Row {
    uint64_t offset, n, size;
    bool fits;
  };
  const Row rows[] = {
      {0, 0, 0, true},               // an empty range of nothing
      {1, 0, 0, false},              // an empty range past the end
      {0, 1, 0, false},              // one byte of nothing
      {0, 10, 10, true},             // everything
      {10, 0, 10, true},             // an empty range at the end
      {9, 1, 10, true},              // the last byte
      {10, 1, 10, false},            // the byte after it
      {9, 2, 10, false},             // begins inside, ends outside
      {kMax, 1, 10, false},          // the end wraps to 0
      {kMax, 2, 10, false},          // the end wraps to 1
      {1, kMax, 10, false},          // as above, because of the length
      {kMax - 3, 8, 10, false},      // the end wraps to 4: the case that a sum gets wrong
      {kTop, kTop, 10, false},       // two halves: the end wraps to 0
      {kTop, kTop - 1, kMax, true},  // the end is the largest 64-bit number
      {kTop, kTop, kMax, false},     // one byte more: the end wraps to 0
      {0, kMax, kMax, true},         // all of the largest size
      {kMax, 0, kMax, true},         // an empty range at its end
      {kMax, 1, kMax, false},        // one byte past it
      {0, kMax, kMax - 1, false},
      {kTop, 1, kTop, false},     // the first byte past 2^63
      {kTop - 1, 1, kTop, true},  // the last byte before it
  };
  for (const Row& row : rows) {
    CAPTURE(row.offset);
    CAPTURE(row.n);
    CAPTURE(row.size);
    CHECK(Fits(row.offset, row.n, row.size) == row.fits);
  }
}

TEST_CASE("Fits agrees with 128-bit arithmetic near every edge") {
  const uint64_t edges[] = {0, 1, 2, 3, kTop - 1, kTop, kTop + 1, kMax - 1, kMax};
  for (uint64_t offset : edges) {
    for (uint64_t n : edges) {
      for (uint64_t size : edges) {
        __extension__ using Wide = unsigned __int128;
        CHECK(Fits(offset, n, size) == (Wide{offset} + n <= size));
      }
    }
  }
}

TEST_CASE("numbers are stored and loaded in little-endian order, at any address") {
  std::array<uint8_t, 11> bytes{};
  StoreLe64(bytes.data() + 3, 0x0102030405060708);
  CHECK(bytes == std::array<uint8_t, 11>{0, 0, 0, 8, 7, 6, 5, 4, 3, 2, 1});
  CHECK(LoadLe64(bytes.data() + 3) == 0x0102030405060708);
  CHECK(LoadLe32(bytes.data() + 3) == 0x05060708);
  CHECK(LoadLe16(bytes.data() + 3) == 0x0708);
  StoreLe32(bytes.data() + 5, 0xfffefdfc);
  CHECK(bytes == std::array<uint8_t, 11>{0, 0, 0, 8, 7, 0xfc, 0xfd, 0xfe, 0xff, 2, 1});
}

TEST_CASE("text and bytes are two views of the same memory") {
  const std::string text("a\0\xff", 3);
  const ByteView bytes = AsBytes(text);
  REQUIRE(bytes.size() == 3);
  CHECK(bytes[2] == 0xff);
  CHECK(AsText(bytes) == text);
  CHECK(AsText(bytes).data() == text.data());
}

}  // namespace
}  // namespace ofindex
