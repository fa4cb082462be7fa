#include <doctest/doctest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "query/crossfilter/cross_filter.h"
#include "query/crossfilter/latest_question.h"
#include "tests/query/crossfilter/counting_oracle.h"

namespace ofindex {
namespace {

TEST_CASE("pages that share dimensions, and end their own older questions, get exact answers or none") {
  for (uint64_t seed = 0; seed < 4; ++seed) {
    CAPTURE(seed);
    CountingOracle oracle(seed, 2);
    const auto memory = std::make_shared<CodeMemory>(seed % 2 == 0 ? 20'000 : uint64_t{1} << 40);
    std::vector<CrossFilterQuestion> questions;
    std::vector<CrossFilterCounts> expected;
    for (int i = 0; i < 3; ++i) {
      questions.push_back(oracle.SomeQuestion(memory));
      expected.push_back(oracle.Expected(questions.back()));
    }
    std::vector<LatestQuestion> pages(2);
    std::atomic<int> wrong = 0;
    std::atomic<int> answered = 0;
    {
      std::vector<std::jthread> threads;
      for (size_t t = 0; t < 4; ++t) {  // two for each page
        threads.emplace_back([&, t] {
          for (size_t i = 0; i < 9; ++i) {
            const auto progress = pages[t % 2].Begin();
            const auto counts = CrossFilter(*oracle.store(), questions[i % 3], *progress);
            wrong += counts ? *counts != expected[i % 3] : counts.error().code != ErrorCode::kInterrupted;
            answered += counts.has_value();
          }
        });
      }
    }
    CHECK(wrong == 0);
    CHECK(answered >= 2);  // nobody ends the last question of a page
  }
}

}  // namespace
}  // namespace ofindex
