#include "tools/http/byte_budget.h"

#include <doctest/doctest.h>

#include <utility>

namespace ofindex {
namespace {

TEST_CASE("a budget gives no more than it has, and gets back what a share had") {
  ByteBudget budget(100);
  std::optional<ByteBudget::Share> most = budget.Take(70);
  REQUIRE(most.has_value());
  CHECK_FALSE(budget.Take(31).has_value());
  CHECK_FALSE(budget.Take(SIZE_MAX).has_value());
  {
    CHECK(budget.Take(29).has_value());
    const std::optional<ByteBudget::Share> rest = budget.Take(30);
    CHECK(rest.has_value());
    CHECK(budget.is_spent());
  }
  CHECK_FALSE(budget.is_spent());
  ByteBudget large(6400);
  const std::optional<ByteBudget::Share> nearly_all = large.Take(6301);
  CHECK(large.is_spent());
  ByteBudget::Share kept = std::move(*most);
  most.reset();
  CHECK_FALSE(budget.Take(31).has_value());
  kept = ByteBudget::Share();
  CHECK(budget.Take(100).has_value());
}

}  // namespace
}  // namespace ofindex
