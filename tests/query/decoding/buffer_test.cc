#include "query/decoding/buffer.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <thread>
#include <vector>

namespace ofindex {
namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20;
constexpr uint64_t kMany = ~uint64_t{0} - 5;

bool IsAligned(const Buffer& buffer) { return reinterpret_cast<uintptr_t>(buffer.data()) % 64 == 0; }

TEST_CASE("a buffer keeps its bytes when it grows, even past the pooled sizes") {
  Buffer buffer;
  std::vector<uint8_t> expected;
  uint64_t piece = 1;
  while (expected.size() < 3 * kMiB) {
    const uint64_t at = buffer.size();
    REQUIRE(buffer.Extend(piece));
    for (uint64_t i = 0; i < piece; ++i) {
      expected.push_back(static_cast<uint8_t>(expected.size() * 7));
      buffer.data()[at + i] = expected.back();
    }
    CHECK(IsAligned(buffer));
    piece = piece * 3 / 2 + 1;
  }
  REQUIRE(buffer.size() == expected.size());
  CHECK(std::equal(expected.begin(), expected.end(), buffer.data()));
}

TEST_CASE("a request for more memory than there is fails and leaves the buffer unchanged") {
  for (const uint64_t size : {uint64_t{10}, 2 * kMiB}) {
    Buffer buffer;
    REQUIRE(buffer.Extend(size));
    std::memset(buffer.data(), 7, size);
    for (const uint64_t more : {kMany, uint64_t{1} << 61}) {
      CHECK(!buffer.Extend(more));
      CHECK(!buffer.Reserve(more));
    }
    CHECK(buffer.size() == size);
    CHECK(std::all_of(buffer.data(), buffer.data() + size, [](uint8_t b) { return b == 7; }));
  }
}

TEST_CASE("the memory of a large buffer is reused for the next buffer of about its size") {
  Buffer first;
  REQUIRE(first.Reserve(20 * kMiB));
  const uint8_t* const data = first.data();
  const uint64_t capacity = first.capacity();
  first = Buffer();
  Buffer second;
  REQUIRE(second.Reserve(20 * kMiB - 3));
  CHECK(second.data() == data);
  CHECK(second.capacity() == capacity);
  Buffer other;
  REQUIRE(other.Reserve(20 * kMiB));
  CHECK(other.data() != data);
  second = Buffer();
  Buffer small;
  REQUIRE(small.Reserve(kPooledBytes));
  CHECK(small.data() != data);
}

TEST_CASE("a small buffer never has the memory of a huge one, whatever the pool keeps") {
  std::vector<Buffer> huge(3);
  for (Buffer& buffer : huge) REQUIRE(buffer.Reserve(20 * kMiB));
  huge.clear();
  std::vector<Buffer> small(40);  // more than the pool has pieces
  for (Buffer& buffer : small) {
    REQUIRE(buffer.Reserve(kPooledBytes));
    CHECK(buffer.capacity() <= 5 * kPooledBytes);
  }
}

TEST_CASE("only memory from the pool is returned to the pool, for sizes around the smallest pooled size") {
  for (uint64_t bytes = kPooledBytes - 130; bytes <= kPooledBytes + 130; ++bytes) {
    uint64_t before = 0;
    uint64_t capacity = 0;
    {
      Buffer buffer;
      REQUIRE(buffer.Reserve(bytes));
      before = BufferPool::kept_bytes();
      capacity = buffer.capacity();
      std::memset(buffer.data(), 1, 1);
    }
    CAPTURE(bytes);
    CHECK(BufferPool::kept_bytes() - before == (capacity >= kPooledBytes ? capacity : 0));
    // A page, as the system gives it.
    if (capacity >= kPooledBytes) CHECK(capacity % 4096 == 0);
  }
}

TEST_CASE("the pool is bounded") {
  std::vector<Buffer> many(40);
  for (Buffer& buffer : many) REQUIRE(buffer.Reserve(16 * kMiB));
  many.clear();
  CHECK(BufferPool::kept_bytes() <= kMaxPooledBytes);
  std::vector<Buffer> large(4);
  for (Buffer& buffer : large) REQUIRE(buffer.Reserve(200 * kMiB));
  large.clear();
  CHECK(BufferPool::kept_bytes() <= kMaxPooledBytes);
  CHECK(BufferPool::kept_bytes() > 0);
}

TEST_CASE("a moved-from buffer is empty") {
  Buffer first;
  REQUIRE(first.Extend(100));
  const Buffer second = std::move(first);
  CHECK(second.size() == 100);
  CHECK(first.size() == 0);  // NOLINT(bugprone-use-after-move)
  CHECK(first.data() == nullptr);
}

}  // namespace
}  // namespace ofindex
