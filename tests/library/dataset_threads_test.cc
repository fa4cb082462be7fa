#include <doctest/doctest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include <ofindex/dataset.h>
#include <ofindex/decode.h>
#include <ofindex/query.h>

#include "tests/library/example_data.h"
#include "tests/support/child_process.h"
#include "tests/support/temp_dir.h"

namespace ofindex {
namespace {

// Reads in every way and returns how many answers were wrong.
int WrongAnswers(const Dataset& dataset, const FeatureDecoder& decoder) {
  int wrong = 0;
  for (uint64_t round = 0; round < 20; ++round) {
    const uint64_t ordinal = round * 7 % dataset.size();
    const auto read = dataset.Read(ordinal);
    wrong += !read || AsText(*read) != ExamplePayload(ordinal);
    const auto view = dataset.View(ordinal);
    wrong += !view || AsText(view->bytes()) != ExamplePayload(ordinal);
    const auto features = dataset.ReadFeatures(ordinal);
    wrong += !features || features->Find("id")->integers()[0] != static_cast<int64_t>(ordinal);
    const auto selection = Where(dataset, "id >= " + std::to_string(ordinal));
    wrong += !selection || selection->size() != dataset.size() - ordinal;
    const auto batch = decoder.Decode(dataset, std::vector<uint64_t>{ordinal, 0});
    wrong += !batch || batch->columns()[0].As<int64_t>()[0] != static_cast<int64_t>(ordinal);
  }
  return wrong;
}

TEST_CASE("many threads can use a newly opened dataset at once") {
  const TempDir dir;
  OpenExamples(dir / "data.tfrecord", 100);
  const FeatureDecoder decoder = Must(FeatureDecoder::Create({{.name = "id"}}));
  for (int round = 0; round < 5; ++round) {
    const Dataset dataset = Must(Dataset::Open(dir / "data.tfrecord"));
    std::atomic<int> wrong = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) threads.emplace_back([&, dataset] { wrong += WrongAnswers(dataset, decoder); });
    for (std::thread& thread : threads) thread.join();
    CHECK(wrong == 0);
  }
}

TEST_CASE("parent and child both read after a fork, whether or not the dataset was used before") {
  const TempDir dir;
  OpenExamples(dir / "data.tfrecord", 100);
  const FeatureDecoder decoder = Must(FeatureDecoder::Create({{.name = "id"}}));
  for (const bool used : {false, true}) {
    const Dataset dataset = Must(Dataset::Open(dir / "data.tfrecord"));
    if (used) CHECK(WrongAnswers(dataset, decoder) == 0);
    CHECK(RunInChild([&] {
            const Dataset inherited = dataset;
            return WrongAnswers(inherited, decoder);
          }) == 0);
    CHECK(WrongAnswers(dataset, decoder) == 0);
  }
}

}  // namespace
}  // namespace ofindex
