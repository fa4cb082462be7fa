#include "tools/serve/requests/work_gate.h"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <optional>
#include <thread>
#include <utility>

namespace ofindex {
namespace {

TEST_CASE("a gate lets in what weighs no more than its limit") {
  WorkGate gate(10, /*waiting=*/0);
  const Progress progress;
  {
    const Result<WorkGate::Pass> heavy = gate.Enter(progress, 7);
    REQUIRE(heavy.has_value());
    const Result<WorkGate::Pass> refused = gate.Enter(progress, 4);
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().code == ErrorCode::kLocked);
    CHECK(gate.Enter(progress, 3).has_value());
  }
  CHECK(gate.Enter(progress, 10).has_value());
}

TEST_CASE("work waits until there is room, or until it is cancelled") {
  WorkGate gate(10, /*waiting=*/1);
  Progress progress;
  Result<WorkGate::Pass> first = gate.Enter(progress, 10);
  REQUIRE(first.has_value());
  std::optional<WorkGate::Pass> running(std::move(*first));
  std::atomic<bool> has_entered{false};
  std::thread waiting([&] {
    const Result<WorkGate::Pass> entered = gate.Enter(Progress(), 5);
    has_entered = entered.has_value();
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  CHECK_FALSE(has_entered);
  running.reset();
  waiting.join();
  CHECK(has_entered);

  const Result<WorkGate::Pass> all = gate.Enter(progress, 10);
  REQUIRE(all.has_value());
  progress.cancel = true;
  const Result<WorkGate::Pass> cancelled = gate.Enter(progress, 1);
  REQUIRE_FALSE(cancelled.has_value());
  CHECK(cancelled.error().code == ErrorCode::kInterrupted);
}

TEST_CASE("heavy work is not overtaken by light work that comes later") {
  WorkGate gate(10, /*waiting=*/2);
  const Progress progress;
  Result<WorkGate::Pass> first = gate.Enter(progress, 4);
  REQUIRE(first.has_value());
  std::optional<WorkGate::Pass> running(std::move(*first));
  std::atomic<int> entered{0};
  std::atomic<int> heavy_place{0};
  std::thread heavy([&] {
    const Result<WorkGate::Pass> pass = gate.Enter(Progress(), 10);
    if (pass) heavy_place = ++entered;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  std::thread light([&] {
    const Result<WorkGate::Pass> pass = gate.Enter(Progress(), 1);
    if (pass) ++entered;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  CHECK(entered == 0);
  running.reset();
  heavy.join();
  light.join();
  CHECK(entered == 2);
  CHECK(heavy_place == 1);
}

}  // namespace
}  // namespace ofindex
