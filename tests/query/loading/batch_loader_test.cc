#include "query/loading/batch_loader.h"

#include <doctest/doctest.h>

#include <memory>
#include <utility>
#include <vector>

#include "tests/query/loading/fake_source.h"
#include "tests/support/child_process.h"
#include "tests/support/sanitizers.h"

namespace ofindex {
namespace {

using Outcome = BatchLoader::Outcome;

TEST_CASE("a loader without threads decodes on demand") {
  for (const uint64_t records : {0U, 1U, 31U, 32U, 33U, 64U, 100U}) {
    const auto source = std::make_shared<FakeSource>(records);
    const auto loader = Started(source, CountingOrder(records), {.batch_size = 32, .threads = 0, .prefetch = 2});
    CHECK(source->fetches() == 0);
    CheckAll(*loader, records, 32);
  }
}

TEST_CASE("invalid options are refused") {
  for (const BatchLoader::Options options :
       {BatchLoader::Options{.batch_size = 0}, {.batch_size = ~uint64_t{0}}, {.prefetch = ~size_t{0}}}) {
    const auto loader = BatchLoader::Start(std::make_shared<FakeSource>(1), NumberDecoder(), CountingOrder(1), options);
    REQUIRE(!loader.has_value());
    CHECK(loader.error().code == ErrorCode::kUsage);
  }
}

TEST_CASE("an error ends the batches of a loader, with or without threads") {
  for (const unsigned threads : {0U, 1U, 3U}) {
    const auto order = [next = uint64_t{0}](std::span<uint64_t> out) mutable {
      for (uint64_t& ordinal : out) ordinal = next++;
      return OrderStep{out.size(), next};
    };
    const auto loader =
        Started(std::make_shared<FakeSource>(45), order, {.batch_size = 10, .threads = threads, .prefetch = 3});
    BatchLoader::Loaded loaded;
    for (int i = 0; i < 4; ++i) CHECK(*loader->Next(kPatient, loaded) == Outcome::kBatch);
    const auto failed = loader->Next(kPatient, loaded);
    REQUIRE(!failed.has_value());
    CHECK(failed.error().code == ErrorCode::kOutOfRange);
    CHECK(failed.error().message == "record 45 is not in the dataset; expected less than 45");
    CHECK(*loader->Next(kPatient, loaded) == Outcome::kEnd);
  }
}

// Yields batches of `sizes` records, the records being 0, 1, 2, ...; then fails or ends.
NextBatch BatchesOfSizes(std::vector<uint64_t> sizes, bool fails, bool announces_end) {
  return [=, given = size_t{0}, next = uint64_t{0}](std::vector<uint64_t>& ordinals) mutable -> Result<BatchStep> {
    if (given == sizes.size() && fails) return Fail(ErrorCode::kIndex, "no lengths");
    for (uint64_t i = 0; given < sizes.size() && i < sizes[given]; ++i) ordinals.push_back(next++);
    ++given;
    REQUIRE(given <= sizes.size() + 1);
    return BatchStep{10 * next, !announces_end || given < sizes.size()};
  };
}

TEST_CASE("batches of differing sizes come in order, up to the end or an error") {
  const std::vector<uint64_t> sizes = {3, 1, 40, 1, 1, 7, 2, 300, 5};
  for (const unsigned threads : {0U, 1U, 4U}) {
    for (const bool fails : {false, true}) {
      for (const bool announces_end : {false, true}) {
        if (fails && announces_end) continue;
        const auto loader = Started(std::make_shared<FakeSource>(360), BatchesOfSizes(sizes, fails, announces_end),
                                    {.threads = threads, .prefetch = 3});
        uint64_t next = 0;
        BatchLoader::Loaded loaded;
        for (const uint64_t size : sizes) {
          REQUIRE(*loader->Next(kPatient, loaded) == Outcome::kBatch);
          REQUIRE(loaded.ordinals.size() == size);
          for (size_t i = 0; i < size; ++i) CHECK(loaded.batch.arrays[0].values.As<uint64_t>()[i] == next++);
          CHECK(loaded.position == 10 * next);
        }
        const auto last = loader->Next(kPatient, loaded);
        CHECK(last.has_value() == !fails);
        CHECK((fails ? last.error().code == ErrorCode::kIndex : *last == Outcome::kEnd));
        CHECK(*loader->Next(kPatient, loaded) == Outcome::kEnd);
      }
    }
  }
}

TEST_CASE("a forked child is refused, and ends cleanly") {
  if (kSanitized) {
    MESSAGE("skipped: a sanitizer's allocator may be locked by a thread that the child does not have");
    return;
  }
  const auto source = std::make_shared<FakeSource>(1000, std::chrono::microseconds(500));
  auto loader = Started(source, CountingOrder(1000), {.batch_size = 10, .threads = 3, .prefetch = 4});
  BatchLoader::Loaded loaded;
  for (int i = 0; i < 5; ++i) {
    REQUIRE(*loader->Next(kPatient, loaded) == Outcome::kBatch);
    const int code = RunInChild([&] {
      BatchLoader::Loaded none;
      const auto refused = loader->Next(kPatient, none);
      loader.reset();
      // A new loader works.
      auto own = BatchLoader::Start(source, NumberDecoder(), CountingOrder(20), {.batch_size = 20, .threads = 1});
      if (!own || *(*own)->Next(kPatient, none) != Outcome::kBatch) return 2;
      return !refused && refused.error().code == ErrorCode::kUsage ? 0 : 1;
    });
    CHECK(code == 0);
  }
  CHECK(*loader->Next(kPatient, loaded) == Outcome::kBatch);
}

}  // namespace
}  // namespace ofindex
