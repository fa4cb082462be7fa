#include <doctest/doctest.h>
#include <signal.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

#include "query/loading/batch_loader.h"
#include "tests/query/loading/fake_source.h"

namespace ofindex {
namespace {

using Outcome = BatchLoader::Outcome;
using std::chrono::microseconds;
using std::chrono::milliseconds;

TEST_CASE("batches arrive in order, however long each takes") {
  for (const unsigned threads : {1U, 2U, 7U}) {
    for (const size_t prefetch : {size_t{1}, size_t{3}, size_t{20}}) {
      const uint64_t records = 1005;
      const auto source = std::make_shared<FakeSource>(records, microseconds(300));
      const auto loader =
          Started(source, CountingOrder(records), {.batch_size = 10, .threads = threads, .prefetch = prefetch});
      CheckAll(*loader, records, 10);
    }
  }
}

// Waits until `order` has yielded `records`, and a little longer: it must not yield more.
void CheckDrawn(const CountingOrder& order, uint64_t records) {
  while (order.given() < records) std::this_thread::sleep_for(milliseconds(1));
  std::this_thread::sleep_for(milliseconds(20));
  CHECK(order.given() == records);
}

TEST_CASE("no more batches than requested are read ahead") {
  const CountingOrder order(10'000);
  const auto loader =
      Started(std::make_shared<FakeSource>(10'000), order, {.batch_size = 10, .threads = 8, .prefetch = 5});
  CheckDrawn(order, 50);
  BatchLoader::Loaded loaded;
  for (uint64_t given = 1; given < 10; ++given) {
    REQUIRE(*loader->Next(kPatient, loaded) == Outcome::kBatch);
    CheckDrawn(order, 50 + 10 * given);
  }
}

TEST_CASE("a loader can be abandoned at any time") {
  for (int batches = 0; batches < 6; ++batches) {
    const auto source = std::make_shared<FakeSource>(100'000, microseconds(2000));
    const auto loader = Started(source, CountingOrder(100'000), {.batch_size = 5000, .threads = 4, .prefetch = 4});
    BatchLoader::Loaded loaded;
    for (int i = 0; i < batches; ++i) REQUIRE(*loader->Next(kPatient, loaded) == Outcome::kBatch);
  }
}

TEST_CASE("a caller whose wait times out loses no batch") {
  const auto source = std::make_shared<FakeSource>(50, microseconds(30'000));
  const auto loader = Started(source, CountingOrder(50), {.batch_size = 10, .threads = 2, .prefetch = 2});
  BatchLoader::Loaded loaded;
  int waits = 0;
  uint64_t next = 0;
  for (auto outcome = loader->Next(milliseconds(0), loaded); *outcome != Outcome::kEnd;
       outcome = loader->Next(milliseconds(1), loaded)) {
    REQUIRE(outcome.has_value());
    if (*outcome == Outcome::kNotYet) {
      ++waits;
      continue;
    }
    CHECK(loaded.ordinals.front() == next);
    next += 10;
  }
  CHECK(next == 50);
  CHECK(waits > 0);
}

TEST_CASE("an error is returned in place of its batch, after all earlier batches") {
  for (int round = 0; round < 30; ++round) {
    const uint64_t bad = static_cast<uint64_t>(round) * 7 + 1;
    const auto order = [bad, next = uint64_t{0}](std::span<uint64_t> out) mutable {
      for (uint64_t& ordinal : out) {
        ordinal = next == bad || next == bad + 15 ? 5000 : next;
        ++next;
      }
      return OrderStep{out.size(), next};
    };
    const auto source = std::make_shared<FakeSource>(1000, microseconds(100));
    const auto loader = Started(source, order, {.batch_size = 10, .threads = 4, .prefetch = 6});
    BatchLoader::Loaded loaded;
    for (uint64_t i = 0; i < bad / 10; ++i) {
      REQUIRE(*loader->Next(kPatient, loaded) == Outcome::kBatch);
      CHECK(loaded.position == 10 * (i + 1));
    }
    CHECK(loader->Next(kPatient, loaded).error().code == ErrorCode::kOutOfRange);
    CHECK(*loader->Next(kPatient, loaded) == Outcome::kEnd);
  }
}

/// Records which signals the fetching thread accepts.
class SignalSource : public FakeSource {
 public:
  SignalSource() : FakeSource(10) {}
  [[nodiscard]] Result<void> Fetch(std::span<const uint64_t> ordinals, FetchedPayloads& out) const override {
    sigset_t blocked;
    ::pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
    takes_interrupt = ::sigismember(&blocked, SIGINT) == 0;
    takes_fault = ::sigismember(&blocked, SIGBUS) == 0;
    return FakeSource::Fetch(ordinals, out);
  }
  mutable std::atomic<bool> takes_interrupt{true};
  mutable std::atomic<bool> takes_fault{false};
};

TEST_CASE("the threads of a loader receive no signals except those for memory faults") {
  const auto source = std::make_shared<SignalSource>();
  const auto loader = Started(source, CountingOrder(10), {.batch_size = 10, .threads = 1, .prefetch = 1});
  BatchLoader::Loaded loaded;
  REQUIRE(*loader->Next(kPatient, loaded) == Outcome::kBatch);
  CHECK(!source->takes_interrupt);
  CHECK(source->takes_fault);
  sigset_t blocked;
  ::pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
  CHECK(::sigismember(&blocked, SIGINT) == 0);
}

}  // namespace
}  // namespace ofindex
