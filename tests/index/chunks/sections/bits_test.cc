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
      PackBits(values, width, packed);
      REQUIRE(packed.size() == BitsBytes(count, width));
      // In memory of exactly its size, so that the sanitizer detects every read past the end.
      const auto exact = std::make_unique<uint8_t[]>(packed.size());
      std::copy(packed.begin(), packed.end(), exact.get());
      std::vector<T> out(count);
      UnpackBits<T>(ByteView(exact.get(), packed.size()), width, out);
      CHECK(std::equal(out.begin(), out.end(), values.begin(), values.end()));
    }
  }
}

TEST_CASE("fields of every width are unpacked to every type that holds them, without reading past the end") {
  CheckBits<uint8_t>();
  CheckBits<uint16_t>();
  CheckBits<uint32_t>();
  CheckBits<uint64_t>();
}

}  // namespace
}  // namespace ofindex
