#include "query/sampling/open_sampler.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "query/sampling/record_lengths.h"
#include "tests/query/columns_in_memory.h"

namespace ofindex {
namespace {

constexpr int kRecords = 600;

// Records in blocks of 64, 130 and the rest; with `more` records after the first 600.
std::shared_ptr<ColumnStore> Store(int more = 0) {
  FeatureInMemory label{"label", {}};
  FeatureInMemory weight{"weight", {}};
  FeatureInMemory boxes{"boxes", {}};
  for (int i = 0; i < kRecords + more; ++i) {
    label.cells.emplace_back(i % 9 == 8 ? std::optional<Cell>() : Ints({i % 4}));
    weight.cells.emplace_back(Ints({i % 3}));
    boxes.cells.emplace_back(Ints({i, i}));
  }
  const auto rest = static_cast<uint32_t>(kRecords + more - 194);
  ColumnsInMemory columns{{label, weight, boxes},
                          {64, 130, rest},
                          {.mode = ColumnChoice::Mode::kNamed, .names = {"boxes", "label", "weight"}}};
  return std::make_shared<ColumnStore>(std::make_unique<ColumnsInMemory>(std::move(columns)), ColumnStoreOptions{});
}

const std::vector<GenerationRow> kFirst = {{1, kRecords, "first"}};
const std::vector<GenerationRow> kGrown = {{1, kRecords, "first"}, {2, kRecords + 100, "second"}};

std::vector<uint64_t> Left(Sampler sampler) {
  std::vector<uint64_t> ordinals(sampler.left());
  ordinals.resize(sampler.Next(ordinals));
  return ordinals;
}

/// A request for each kind of order, and for a selection.
std::vector<SampleRequest> Requests() {
  std::vector<SampleRequest> requests(6);
  requests[1].where = "label = 2";
  requests[2].weights = "weight";
  requests[3].balance = "label";
  requests[4].block = BlockShape{.run = 5, .lanes = 4, .window = 2};
  requests[5].where = "label > 0";
  requests[5].weights = "weight";
  for (SampleRequest& request : requests) {
    request.seed = 5;
    request.epoch = 2;
  }
  return requests;
}

TEST_CASE("a generation with more records than the columns have is refused") {
  for (const uint64_t records :
       {uint64_t{kRecords} + 1, uint64_t{1} << 48, (uint64_t{1} << 62) + 1, uint64_t{1} << 63, ~uint64_t{0}}) {
    for (const SampleRequest& request : Requests()) {
      const auto sampler = OpenSampler(Store(), {{1, records, "forged"}}, request);
      REQUIRE_FALSE(sampler);
      CHECK(sampler.error().code == ErrorCode::kIndex);
    }
  }
}

TEST_CASE("a view is sampled in the same order as a WHERE that selects its records, and gives indices in the view") {
  SampleRequest by_where{.where = "label = 2", .seed = 3};
  auto where = OpenSampler(Store(), kFirst, by_where);
  REQUIRE(where);
  SampleRequest by_view{.view = where->view(), .seed = 3};
  auto view = OpenSampler(Store(), kFirst, by_view);
  REQUIRE(view);
  CHECK(view->State() == where->State());
  const std::vector<uint64_t> ordinals = Left(*where);
  CHECK(Left(*view) == ordinals);
  std::vector<uint64_t> indices(view->left());
  REQUIRE(view->NextIndices(indices) == ordinals.size());
  for (size_t i = 0; i < indices.size(); ++i) CHECK(where->view().At(indices[i]) == ordinals[i]);
  // A WHERE on top selects among the view's records.
  by_view.view = View::Range(100, 200);
  by_view.where = "label = 2";
  const auto both = OpenSampler(Store(), kFirst, by_view);
  REQUIRE(both);
  for (const uint64_t ordinal : Left(*both)) {
    CHECK(ordinal >= 100);
    CHECK(ordinal < 200);
    CHECK(ordinal % 4 == 2);
  }
  CHECK(both->view().size() > 0);
}

TEST_CASE("a state resumes where it was taken, even with another world size or after records were appended") {
  for (SampleRequest& request : Requests()) {
    const auto whole = OpenSampler(Store(), kFirst, request);
    REQUIRE_MESSAGE(whole.has_value(), whole.error().message);
    const std::vector<uint64_t> order = Left(*whole);
    request.slice = {1, 3};
    auto stopped = OpenSampler(Store(), kFirst, request);
    REQUIRE(stopped);
    std::vector<uint64_t> some(20);
    REQUIRE(stopped->Next(some) == 20);
    const SamplerState state = stopped->State();
    CHECK(state.position == 60);
    CHECK(ToJson(state).size() < 1024);
    request.seed = request.epoch = 0;  // the state's own values are used
    request.state = state;
    request.slice = {0, 1};
    for (const bool grown : {false, true}) {
      const auto resumed = OpenSampler(Store(grown ? 100 : 0), grown ? kGrown : kFirst, request);
      REQUIRE_MESSAGE(resumed.has_value(), resumed.error().message);
      CHECK(Left(*resumed) == std::vector<uint64_t>(order.begin() + 60, order.end()));
      CHECK(resumed->State() == state);
    }
  }
}

TEST_CASE("a state of another dataset, selection or order is refused with the difference, unless forced") {
  SampleRequest request = Requests()[1];
  const auto sampler = OpenSampler(Store(), kFirst, request);
  REQUIRE(sampler);
  request.state = sampler->State();
  const auto refused = [&](const SampleRequest& changed, const std::vector<GenerationRow>& generations,
                           const char* message) {
    const auto opened = OpenSampler(Store(), generations, changed);
    REQUIRE_FALSE(opened);
    CHECK(opened.error().code == ErrorCode::kStale);
    CHECK_MESSAGE(opened.error().message.find(message) != std::string::npos, opened.error().message);
  };
  refused(request, {{1, kRecords, "other"}}, "its first 600 records differ from those of this dataset");
  refused(request, {{1, 10, "less"}}, "the state has 600 records, this dataset has 10");
  SampleRequest changed = request;
  changed.where = "label = 3";
  refused(changed, kFirst, "another selection");
  changed = request;
  changed.block = BlockShape{.run = 2};
  refused(changed, kFirst, "another order: shuffle, not block 2, 64 lanes, window 8");
  changed = request;
  changed.force = true;
  CHECK(OpenSampler(Store(), {{1, kRecords, "other"}}, changed));
}

TEST_CASE("weighted and balanced draws contain only records of the view") {
  SampleRequest request = Requests()[5];
  auto sampler = OpenSampler(Store(), kFirst, request);
  REQUIRE(sampler);
  for (const uint64_t ordinal : Left(*sampler)) CHECK((ordinal % 3 != 0 && ordinal % 9 != 8 && ordinal % 4 != 0));
  request = Requests()[3];
  sampler = OpenSampler(Store(), kFirst, request);
  REQUIRE(sampler);
  std::map<uint64_t, int> drawn;
  for (const uint64_t ordinal : Left(*sampler)) {
    CHECK(ordinal % 9 != 8);  // NULL is not a class
    ++drawn[ordinal % 4];
  }
  CHECK(drawn == std::map<uint64_t, int>{{0, 150}, {1, 150}, {2, 150}, {3, 150}});
  CHECK(sampler->PositionOf(0).error().code == ErrorCode::kUsage);
}

TEST_CASE("invalid requests are refused") {
  std::vector<SampleRequest> requests(9);
  requests[0].weights = "nothing";
  requests[1].weights = "boxes";
  requests[2].weights = "weight";
  requests[2].balance = "label";
  requests[3].block = BlockShape{.run = 0};
  requests[4].block = BlockShape{.run = kMaxWindowRecords};
  requests[5].position = kRecords + 1;
  requests[6].slice = {3, 3};
  requests[8].block = BlockShape{.lanes = kMaxLanes + 1};
  requests[7].balance = "label";
  requests[7].temperature = 0;
  for (const SampleRequest& request : requests) {
    const auto opened = OpenSampler(Store(), kFirst, request);
    REQUIRE_FALSE(opened);
    CHECK(opened.error().code == ErrorCode::kUsage);
  }
}

TEST_CASE("lengths come from a column, and a NULL is an error that names its record") {
  const auto store = Store();
  const auto lengths = LengthsOfColumn(*store, "label");
  REQUIRE(lengths);
  std::vector<uint64_t> got(3);
  REQUIRE((*lengths)(std::vector<uint64_t>{599, 2, 195}, got));
  CHECK(got == std::vector<uint64_t>{3, 2, 3});
  const auto none = (*lengths)(std::vector<uint64_t>{1, 8, 2}, got);
  REQUIRE_FALSE(none);
  CHECK(none.error().message.find("record 8 has no length: its value is NULL") != std::string::npos);
  CHECK_FALSE(LengthsOfColumn(*store, "boxes"));
  CHECK_FALSE(LengthsOfColumn(*store, "lable"));
}

}  // namespace
}  // namespace ofindex
