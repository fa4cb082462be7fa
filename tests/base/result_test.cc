#include "base/result.h"

#include <doctest/doctest.h>

#include <new>
#include <utility>

namespace ofindex {
namespace {

// A value whose copy runs out of memory.
struct Uncopied {
  Uncopied() = default;
  Uncopied(const Uncopied&) { throw std::bad_alloc(); }
  Uncopied(Uncopied&&) noexcept = default;
  Uncopied& operator=(const Uncopied&) = delete;
  Uncopied& operator=(Uncopied&&) = delete;
  ~Uncopied() = default;
};

const Result<Uncopied> kHeld = Uncopied();
const Result<Uncopied> kFailed = Fail(ErrorCode::kIo, "a: failed");

Result<void> TriesHeld(const Result<Uncopied>& result) {
  OFINDEX_TRY(result);
  return {};
}

Result<void> AssignsHeld(const Result<Uncopied>& result) {
  OFINDEX_ASSIGN(const Uncopied copy, result);
  static_cast<void>(copy);
  return {};
}

// A copy by the constructor of tl::expected would end the process.
TEST_CASE("a result that is tried by name is not copied, and a copy of its value may run out of memory") {
  CHECK(TriesHeld(kHeld));
  CHECK_THROWS_AS(static_cast<void>(AssignsHeld(kHeld)), std::bad_alloc);
}

TEST_CASE("a result that is tried by name keeps its error") {
  for (const auto& tried : {TriesHeld, AssignsHeld}) {
    const Result<void> failed = tried(kFailed);
    REQUIRE_FALSE(failed);
    CHECK(failed.error().message == "a: failed");
    CHECK(kFailed.error().message == "a: failed");
  }
  Result<Uncopied> own = Fail(ErrorCode::kIo, "b: failed");
  CHECK_FALSE(TriesHeld(own));
  CHECK(own.error().message == "b: failed");
}

}  // namespace
}  // namespace ofindex
