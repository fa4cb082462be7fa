#include "index/chunks/sections/bits.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "base/bytes.h"
#include "tests/index/column_values.h"

namespace ofindex {
namespace {

template <typename T>
void CheckBits() {
  Random random(9);
  for (uint32_t width = 0; width <= 8 * sizeof(T); ++width) {
    for (size_t count : {0U, 1U, 7U, 8U, 9U, 31U, 64U, 100U, 1024U}) {
      std::vector<uint64_t> values(count);
      for (uint64_t& value : values) value = width == 0 ? 0 : random() >> (64 - width);
      std::vector<uint8_t> packed;
      PackBits(std::span<const uint64_t>(values), width, packed);
      REQUIRE(packed.size() == BitsBytes(count, width));
      if (width <= 32) {
        const std::vector<uint32_t> narrow(values.begin(), values.end());
        std::vector<uint8_t> packed_narrow;
        PackBits(std::span<const uint32_t>(narrow), width, packed_narrow);
        CHECK(packed_narrow == packed);
      }
      // In memory of exactly its size, so that the sanitizer detects every read past the end.
      const auto exact = std::make_unique<uint8_t[]>(packed.size());
      std::copy(packed.begin(), packed.end(), exact.get());
      std::vector<T> out(count);
      UnpackBits<T>(ByteView(exact.get(), packed.size()), width, out);
      CHECK(std::equal(out.begin(), out.end(), values.begin(), values.end()));
    }
  }
}

TEST_CASE("bits above a field's width are dropped, and fields are appended to what is there") {
  const std::vector<uint64_t> values = {~uint64_t{0}, 0x15, 0xe2, 7, 8, 9, 10, 11, 12};
  std::vector<uint8_t> packed = {1, 2};
  PackBits(std::span<const uint64_t>(values), 4, packed);
  CHECK(packed == std::vector<uint8_t>{1, 2, 0x5f, 0x72, 0x98, 0xba, 0x0c});
}

TEST_CASE("fields of every width are unpacked to every type that holds them, without reading past the end") {
  CheckBits<uint8_t>();
  CheckBits<uint16_t>();
  CheckBits<uint32_t>();
  CheckBits<uint64_t>();
}

}  // namespace
}  // namespace ofindex
