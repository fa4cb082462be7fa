#include "query/sampling/open_sampler.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/text.h"
#include "query/sampling/lengths/record_lengths.h"
#include "query/sampling/shard_history.h"
#include "tests/query/columns_in_memory.h"
#include "tests/query/sampling/sets/member_lists.h"

namespace ofindex {
namespace {

constexpr int kFirstRecords = 600;

// Records in blocks of 64, 130 and the rest; with `more` records after the first 600.
std::shared_ptr<ColumnStore> Store(int more = 0) {
  FeatureInMemory label{"label", {}};
  FeatureInMemory weight{"weight", {}};
  FeatureInMemory boxes{"boxes", {}};
  for (int i = 0; i < kFirstRecords + more; ++i) {
    label.cells.emplace_back(i % 9 == 8 ? std::optional<Cell>() : Ints({i % 4}));
    weight.cells.emplace_back(Ints({i % 3}));
    boxes.cells.emplace_back(Ints({i, i}));
  }
  const auto rest = static_cast<uint32_t>(kFirstRecords + more - 194);
  ColumnsInMemory columns{{label, weight, boxes},
                          {64, 130, rest},
                          {.mode = ColumnChoice::Mode::kNamed, .names = {"boxes", "label", "weight"}}};
  return std::make_shared<ColumnStore>(std::make_unique<ColumnsInMemory>(std::move(columns)), ColumnStoreOptions{});
}

const std::vector<GenerationRow> kFirst = {{1, kFirstRecords, "first"}};
const std::vector<GenerationRow> kGrown = {{1, kFirstRecords, "first"}, {2, kFirstRecords + 100, "second"}};

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
       {uint64_t{kFirstRecords} + 1, uint64_t{1} << 48, (uint64_t{1} << 62) + 1, uint64_t{1} << 63, ~uint64_t{0}}) {
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

// Pieces of 200 records: generation 2 has added the third, or what follows.
ShardHistory History(std::vector<AbsenceRow> absences, size_t pieces = 3) {
  ShardHistory history;
  for (uint32_t i = 0; i < pieces; ++i) {
    ShardRow piece;
    piece.path = StrCat("data/", static_cast<char>('a' + i));
    piece.first_record = uint64_t{200} * i;
    piece.records = 200;
    piece.file = i;
    for (const AbsenceRow& absence : absences) {
      if (absence.shard == i && !absence.until) piece.gone = absence.since;
    }
    history.pieces.push_back(std::move(piece));
  }
  history.absences = std::move(absences);
  return history;
}

TEST_CASE("a history gives the records of each generation") {
  const ShardHistory history = History({{0, 2, 4}, {2, 3, {}}, {1, 4, {}}});
  struct Row {
    int64_t generation;
    std::vector<bool> has;  // each piece
  };
  for (const Row& row : {Row{1, {true, true, true}}, Row{2, {false, true, true}}, Row{3, {false, true, false}},
                         Row{4, {true, false, false}}}) {
    std::vector<uint64_t> expected;
    for (uint64_t i = 0; i < 600; ++i) {
      if (row.has[i / 200]) expected.push_back(i);
    }
    CHECK(MembersOf(history.RecordsAt({row.generation, 600, ""})) == expected);
  }
  CHECK(history.RecordsAt({1, 250, ""}).size() == 250);
  CHECK(ShardHistory().RecordsAt({1, 250, ""}) == OrdinalSet::Range(0, 250));
  CHECK(history.GoneSince({1, 600, ""}) == "data/b, data/c are missing or changed since generation 3");
  CHECK(history.GoneSince({3, 600, ""}) == "data/b is missing or changed since generation 4");
  CHECK(history.GoneSince({4, 600, ""}).empty());
}

TEST_CASE("the epoch after that of a state has the new records, and so has one of which nothing was read") {
  for (const SampleRequest& request : Requests()) {
    auto stopped = OpenSampler(Store(), kFirst, request);
    REQUIRE(stopped);
    std::vector<uint64_t> some(20);
    REQUIRE(stopped->Next(some) == 20);
    SampleRequest resuming = request;
    resuming.state = stopped->State();
    auto resumed = OpenSampler(Store(100), kGrown, resuming);
    REQUIRE(resumed);
    SampleRequest anew = request;
    for (const uint64_t epoch : {uint64_t{3}, uint64_t{2}}) {
      anew.epoch = epoch;
      const auto whole = OpenSampler(Store(100), kGrown, anew);
      REQUIRE(whole);
      REQUIRE(whole->epoch_size() > stopped->epoch_size());
      Sampler next = *resumed;
      CHECK(next.changes() == StateChanges{whole->epoch_size() - stopped->epoch_size(), 0, 1, 2, false});
      next.SetEpoch(epoch);
      CHECK(Left(next) == Left(*whole));
      CHECK(next.State() == whole->State());
      CHECK_FALSE(next.changes());
    }
    // Within the epochs of the state, SeekTo stays with its records.
    Sampler before = *resumed;
    before.SeekTo(0, 5);
    CHECK(before.epoch_size() == stopped->epoch_size());
    CHECK(before.State().dataset == "first");
    resuming.state->position = 0;
    resumed = OpenSampler(Store(100), kGrown, resuming);
    REQUIRE(resumed);
    CHECK(resumed->changes()->begun_anew);
    anew.epoch = 2;
    CHECK(Left(*resumed) == Left(*OpenSampler(Store(100), kGrown, anew)));
  }
}

TEST_CASE("records that were missing when the epoch began, and are back, come with the next epoch") {
  const std::vector<GenerationRow> generations = {{1, 600, "first"}, {2, 600, "second"}, {3, 600, "first"}};
  const ShardHistory history = History({{1, 2, 3}});
  std::vector<uint64_t> without;
  for (uint64_t i = 0; i < 600; ++i) {
    if (i / 200 != 1) without.push_back(i);
  }
  SamplerState state = OpenSampler(Store(), generations, {.seed = 1})->State();
  state.generation = 2;
  state.dataset = "second";
  state.position = 10;
  OrdinalSet::Builder members;
  for (const uint64_t ordinal : without) members.Add(ordinal);
  state.selection = View::Of(members.Take()).Fingerprint();
  auto resumed = OpenSampler(Store(), generations, {.state = state}, {}, history);
  REQUIRE_MESSAGE(resumed.has_value(), resumed.error().message);
  CHECK(resumed->changes() == StateChanges{200, 0, 2, 3, false});
  CHECK(resumed->State() == state);
  resumed->SeekTo(0);
  std::vector<uint64_t> all = Left(*resumed);
  std::sort(all.begin(), all.end());
  CHECK(all == without);
  resumed->SetEpoch(1);
  CHECK(resumed->epoch_size() == 600);
}

TEST_CASE("a block shape is read back from the state of its order") {
  const BlockShape shape{.run = 5, .lanes = 4, .window = 2};
  SamplerState state;
  state.order = Describe(shape);
  CHECK(BlockOf(state) == shape);
  for (const std::string& order : {Describe(GlobalShuffle{}), std::string("weights 00")}) {
    state.order = order;
    CHECK_FALSE(BlockOf(state));
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
  refused(request, {{1, kFirstRecords, "other"}}, "its first 600 records differ from those of this dataset");
  refused(request, {{1, 10, "less"}}, "the state has 600 records, this dataset has 10");
  SampleRequest changed = request;
  changed.where = "label = 3";
  refused(changed, kFirst, "another selection");
  changed = request;
  changed.block = BlockShape{.run = 2};
  refused(changed, kFirst, "another order: shuffle, not block 2, 64 lanes, window 8");
  changed = request;
  changed.force = true;
  CHECK(OpenSampler(Store(), {{1, kFirstRecords, "other"}}, changed));
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
}

TEST_CASE("given weights draw the records that a column of the same weights draws") {
  std::vector<double> weights;
  for (int i = 0; i < kFirstRecords; ++i) weights.push_back(i % 3);
  std::vector<double> of_some;
  OrdinalSet::Builder some;
  for (uint64_t i = 1; i < kFirstRecords; i += 5) {
    some.Add(i);
    of_some.push_back(weights[i]);
  }
  const View part = View::Of(some.Take());
  for (const bool all : {true, false}) {
    SampleRequest request = Requests()[2];
    if (!all) request.view = part;
    const auto expected = OpenSampler(Store(), kFirst, request);
    REQUIRE(expected);
    request.weights.reset();
    request.given_weights = all ? weights : of_some;
    const auto sampler = OpenSampler(Store(), kFirst, request);
    REQUIRE(sampler);
    CHECK(Left(*sampler) == Left(*expected));
    CHECK(sampler->State() == expected->State());
    request.given_weights = std::span(weights).first(7);
    CHECK(OpenSampler(Store(), kFirst, request).error().code == ErrorCode::kUsage);
  }
}

TEST_CASE("invalid requests are refused") {
  const std::vector<double> negative(kFirstRecords, -1.0);
  const std::vector<double> nothing(kFirstRecords, 0.0);
  std::vector<SampleRequest> requests(11);
  requests[9].given_weights = negative;
  requests[10].given_weights = nothing;
  requests[0].weights = "nothing";
  requests[1].weights = "boxes";
  requests[2].weights = "weight";
  requests[2].balance = "label";
  requests[3].block = BlockShape{.run = 0};
  requests[4].block = BlockShape{.run = kMaxWindowRecords};
  requests[5].position = kFirstRecords + 1;
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
