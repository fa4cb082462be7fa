#include "query/crossfilter/cross_filter.h"

#include <cstdlib>

#include "query/columns/find_column.h"
#include "query/crossfilter/block_spread.h"
#include "query/crossfilter/decided_blocks.h"
#include "query/crossfilter/frequent_values.h"
#include "query/crossfilter/latest_question.h"
#include "tests/query/crossfilter/counting_oracle.h"

namespace ofindex {
namespace {

constexpr uint64_t kNoLimit = uint64_t{1} << 40;

uint64_t CrossFilterSeeds() {
  const char* const given = std::getenv("OFINDEX_CROSS_FILTERS");
  return given == nullptr ? 40 : std::strtoull(given, nullptr, 10);
}

std::string ShownCounts(const CrossFilterCounts& counts) {
  std::string text = StrCat("passing ", counts.passing, ", known ", counts.known);
  for (const auto& list : {counts.dimensions, counts.unfiltered}) {
    for (const BinCounts& one : list) {
      text += StrCat("\n", one.below, " below, ", one.above, " above, ", one.other, " other, ", one.nans, " NaN, ",
                     one.nulls, " NULL:");
      for (size_t i = 0; i < one.bins.size(); ++i) {
        if (one.bins[i] != 0) text += StrCat(" ", i, "=", one.bins[i]);
      }
    }
  }
  return text;
}

void CheckAnswer(const Result<CrossFilterCounts>& counts, const CrossFilterCounts& expected) {
  REQUIRE_MESSAGE(counts.has_value(), (counts ? "" : counts.error().message));
  CHECK_MESSAGE(*counts == expected, ShownCounts(*counts), "\nexpected ", ShownCounts(expected));
}

ValueFilter HalfOpen(double low, double high) {
  return {.low = {.value = SqlReal(low)}, .high = {.value = SqlReal(high), .open = true}};
}

/// A store of whole numbers: `value` is 0 to 9 in turn, `rank` ascends.
struct Plain {
  std::shared_ptr<ColumnStore> store;
  std::shared_ptr<CodeMemory> memory = std::make_shared<CodeMemory>(kNoLimit);
  Progress progress;

  explicit Plain(size_t blocks, uint32_t records_each, ColumnStoreOptions options = {.threads = 2}) {
    FeatureInMemory value{"value", {}}, rank{"rank", {}};
    for (size_t r = 0; r < blocks * records_each; ++r) {
      value.cells.emplace_back(Ints({static_cast<int64_t>(r % 10)}));
      rank.cells.emplace_back(Ints({static_cast<int64_t>(r)}));
    }
    store = std::make_shared<ColumnStore>(
        std::make_unique<ColumnsInMemory>(std::vector{value, rank}, std::vector<uint32_t>(blocks, records_each),
                                          ColumnChoice{.mode = ColumnChoice::Mode::kNamed, .names = {"rank", "value"}}),
        options);
  }

  [[nodiscard]] std::shared_ptr<const Dimension> Numbers(const std::string& name, double low, double high,
                                                         size_t bins) const {
    return *Dimension::Of(store, *FindColumn(*store, name), *NumberBins::Of(low, high, bins), memory);
  }

  [[nodiscard]] CrossFilterCounts Ask(const CrossFilterQuestion& question) const {
    auto counts = CrossFilter(*store, question, progress);
    REQUIRE(counts.has_value());
    return *counts;
  }
};

}  // namespace

TEST_CASE("counts of random columns under random filters are those of a loop over values") {
  for (uint64_t seed = 0; seed < CrossFilterSeeds(); ++seed) {
    CAPTURE(seed);
    CountingOracle oracle(seed);
    const auto memory = std::make_shared<CodeMemory>(seed % 3 == 0 ? 20'000 : kNoLimit);
    const Progress progress;
    for (int i = 0; i < 4; ++i) {
      CrossFilterQuestion question = oracle.SomeQuestion(memory);
      const auto among = oracle.SomeSelection();
      if (i % 2 == 1) question.among = among.get();
      const CrossFilterCounts expected = oracle.Expected(question);
      CheckAnswer(CrossFilter(*oracle.store(), question, progress), expected);  // makes the codes
      CheckAnswer(CrossFilter(*oracle.store(), question, progress), expected);  // uses them
    }
  }
}

TEST_CASE("an estimate whose blocks are all decided or read is exact, and others do not depend on the threads") {
  for (uint64_t seed = 0; seed < CrossFilterSeeds() / 2; ++seed) {
    CAPTURE(seed);
    const Progress progress;
    std::vector<CrossFilterCounts> answers;
    for (const unsigned threads : {1U, 2U, 5U}) {
      CountingOracle oracle(seed, threads);
      CrossFilterQuestion question = oracle.SomeQuestion(std::make_shared<CodeMemory>(kNoLimit));
      for (const uint64_t max_records : {uint64_t{1}, uint64_t{40'000}, UINT64_MAX, uint64_t{1}, uint64_t{3000}}) {
        question.max_records = max_records;
        auto counts = CrossFilter(*oracle.store(), question, progress);
        REQUIRE(counts.has_value());
        if (counts->exact()) CheckAnswer(counts, oracle.Expected(question));
        answers.push_back(*std::move(counts));
      }
    }
    for (size_t i = 5; i < answers.size(); ++i) CHECK(answers[i] == answers[i % 5]);
  }
}

TEST_CASE("a dimension ignores the filters on its own column, and no others") {
  const Plain plain(1, 100);
  const CrossFilterQuestion question{
      .dimensions = {plain.Numbers("value", 0, 10, 10), plain.Numbers("rank", 0, 100, 4)},
      .filters = {{*FindColumn(*plain.store, "value"), HalfOpen(2, 4)},
                  {*FindColumn(*plain.store, "rank"), HalfOpen(0, 50)}},
      .unfiltered = true};
  const CrossFilterCounts counts = plain.Ask(question);
  CHECK(counts.passing == 10);
  CHECK(counts.dimensions[0].bins == std::vector<uint64_t>(10, 5));
  CHECK(counts.dimensions[1].bins == std::vector<uint64_t>{6, 4, 6, 4});
  CHECK(counts.unfiltered[0].bins == std::vector<uint64_t>(10, 10));
  CHECK(counts.unfiltered[1].bins == std::vector<uint64_t>(4, 25));
}

TEST_CASE("a question without dimensions counts, and one without filters counts all") {
  const Plain plain(3, 70);
  CHECK(plain.Ask({}).passing == 210);
  CHECK(plain.Ask({.filters = {{*FindColumn(*plain.store, "value"), HalfOpen(0, 1)}}}).passing == 21);
}

TEST_CASE("an empty dataset has exact counts of 0") {
  const Plain plain(0, 0);
  const CrossFilterCounts counts = plain.Ask({.max_records = 0});
  CHECK(counts.passing == 0);
  CHECK(counts.exact());
  CHECK(counts.share() == 1);
}

TEST_CASE("an estimate reads blocks evenly, says their share, and is scaled") {
  const Plain plain(100, 100);
  CrossFilterQuestion question{.dimensions = {plain.Numbers("value", 0, 10, 10)},
                               .filters = {{*FindColumn(*plain.store, "value"), HalfOpen(0, 3)}},
                               .max_records = 4 * 1000};
  SUBCASE("codes that have yet to be made cost more") {
    const CrossFilterCounts counts = plain.Ask(question);
    CHECK(counts.share() == 0.1);
    CHECK(counts.passing == 3000);
    CHECK(counts.error == 0);  // all blocks have the same counts
    CHECK(counts.dimensions[0].bins == std::vector<uint64_t>(10, 1000));
  }
  SUBCASE("codes that are kept do not") {
    question.max_records = UINT64_MAX;
    CHECK(plain.Ask(question).exact());
    question.max_records = 2000;
    CHECK(plain.Ask(question).share() == 0.2);
  }
  SUBCASE("at least one block is read") {
    question.max_records = 0;
    CHECK(plain.Ask(question).known == 100);
    CHECK(std::isinf(plain.Ask(question).error));
  }
}

TEST_CASE("a sample has the block in the middle of each run of those that are not decided") {
  std::vector<BlockMetadata> blocks(12, {.records = 10});
  std::vector<bool> decided(12);
  decided[0] = decided[5] = true;
  const auto sampled = [&](uint64_t max_records) {
    std::vector<uint64_t> found;
    for (const BlockSample::Piece& piece : SampleOf(blocks, decided, max_records).pieces) {
      CHECK(piece.sampled != decided[piece.block]);
      if (piece.sampled) found.push_back(piece.block);
    }
    return found;
  };
  CHECK(sampled(0) == std::vector<uint64_t>{7});
  CHECK(sampled(29) == std::vector<uint64_t>{3, 9});
  CHECK(sampled(30) == std::vector<uint64_t>{2, 7, 10});
  CHECK(sampled(100) == std::vector<uint64_t>{1, 2, 3, 4, 6, 7, 8, 9, 10, 11});
}

TEST_CASE("a block is decided if no dimension needs counts that have to be read") {
  enum class Codes : uint8_t { kNone, kAll };
  struct Case {
    const char* name;
    std::vector<const char*> dimensions;
    std::vector<std::pair<const char*, ValueFilter>> filters;
    Codes codes;
    uint64_t undecided;  // of ten blocks, in which `rank` ascends
    bool unfiltered = false;
    bool among = false;
  };
  const ValueFilter most_of_two = HalfOpen(3000, 7500);  // block 1, and half of block 2
  const ValueFilter first_block = HalfOpen(0, 3000);
  const ValueFilter nothing{.kind = ValueFilter::Kind::kSet};
  const Case cases[] = {
      {"only a number is asked for", {}, {}, Codes::kNone, 0},
      {"half of a block", {}, {{"rank", most_of_two}}, Codes::kNone, 1},
      {"blocks inside have unknown counts", {"value"}, {}, Codes::kNone, 10},
      {"blocks inside have known counts", {"value"}, {}, Codes::kAll, 0},
      {"blocks outside count for nothing", {"value"}, {{"rank", most_of_two}}, Codes::kNone, 2},
      {"the same with counts", {"value"}, {{"rank", most_of_two}}, Codes::kAll, 1},
      {"blocks outside count for the own dimension", {"rank"}, {{"rank", most_of_two}}, Codes::kNone, 10},
      {"their counts are known", {"rank"}, {{"rank", most_of_two}}, Codes::kAll, 1},
      {"two filters fail", {"rank"}, {{"rank", first_block}, {"value", nothing}}, Codes::kNone, 0},
      {"one fails, but is the own", {"value"}, {{"rank", first_block}, {"value", nothing}}, Codes::kNone, 1},
      {"the other is met by half", {"value"}, {{"rank", most_of_two}, {"value", nothing}}, Codes::kAll, 1},
      {"two filters on a column", {}, {{"rank", HalfOpen(0, 6000)}, {"rank", most_of_two}}, Codes::kNone, 0},
      {"unfiltered counts", {"value"}, {{"rank", most_of_two}}, Codes::kNone, 10, true},
      {"known unfiltered counts", {"value"}, {{"rank", most_of_two}}, Codes::kAll, 1, true},
      {"some records of one block are asked for", {"value"}, {}, Codes::kAll, 1, false, true},
      {"these are in a block outside", {"value"}, {{"rank", first_block}}, Codes::kAll, 0, false, true},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const Plain plain(10, 3000);
    std::vector<BlockSelection> selected(10, {.count = 3000});
    selected[3] = {};
    selected[9] = {.count = 1, .words = std::vector<uint64_t>(WordCount(3000))};
    selected[9].words[7] = 1;
    const Selection selection(plain.store->blocks(), selected);
    CrossFilterQuestion question{.among = c.among ? &selection : nullptr, .unfiltered = c.unfiltered, .max_records = 0};
    for (const char* const name : c.dimensions) question.dimensions.push_back(plain.Numbers(name, 0, 30'000, 10));
    for (const auto& [name, filter] : c.filters) {
      question.filters.push_back({*FindColumn(*plain.store, name), filter});
    }
    if (c.codes == Codes::kAll) CHECK(plain.Ask({.dimensions = question.dimensions}).exact());
    const auto prepared = PreparedQuestion::Of(*plain.store, question, plain.progress);
    REQUIRE(prepared.has_value());
    const std::vector<bool> decided = DecidedBlocks(*prepared).All();
    CHECK(static_cast<uint64_t>(std::count(decided.begin(), decided.end(), false)) == c.undecided);
    const CrossFilterCounts counts = plain.Ask(question);
    CHECK(counts.exact() == (c.undecided <= 1));  // at least one is read
    question.max_records = UINT64_MAX;
    if (counts.exact()) CHECK(plain.Ask(question) == counts);
  }
}

TEST_CASE("the error of an estimate is that of blocks drawn at random") {
  BlockSpread spread;
  for (const uint64_t passing : {10U, 20U, 30U, 20U}) spread.Add(passing, 100);
  // Of 40 blocks: the mean is 20 a block, the variance between blocks 200 / 3.
  const BlockSample sample{.pieces = {}, .read = 400, .in_question = 4000};
  CHECK(spread.ErrorOf(sample) == doctest::Approx(40 * std::sqrt((1 - 0.1) / 4 * 200 / 3)));
}

TEST_CASE("zone maps decide the blocks that are wholly outside, and counts those that are wholly inside") {
  const Plain plain(100, 3000);
  CrossFilterQuestion question{.dimensions = {plain.Numbers("value", 0, 10, 10)},
                               .filters = {{*FindColumn(*plain.store, "rank"), HalfOpen(30'000, 61'000)}},
                               .max_records = 7 * 3000};  // a block
  CHECK(plain.Ask(question).known == 300'000 - 11 * 3000 + 3000);
  CHECK(plain.Ask({.dimensions = question.dimensions}).exact());  // makes all codes
  const CrossFilterCounts counts = plain.Ask(question);
  CHECK(counts.exact());
  CHECK(counts.passing == 31'000);
  CHECK(counts.dimensions[0].bins == std::vector<uint64_t>(10, 3100));
}

TEST_CASE("codes beyond the limit of memory are made again for each question") {
  for (const uint64_t limit : {uint64_t{0}, uint64_t{3000}, kNoLimit}) {
    CAPTURE(limit);
    Plain plain(4, 1000, {.cache_bytes = 0, .threads = 2});
    plain.memory = std::make_shared<CodeMemory>(limit);
    {
      const auto dimension = plain.Numbers("value", 0, 10, 10);
      CHECK(plain.memory->reserved() <= limit);
      CHECK(dimension->fits() == (limit == kNoLimit));
      for (int i = 0; i < 2; ++i) {
        CHECK(plain.Ask({.dimensions = {dimension}}).dimensions[0].bins == std::vector<uint64_t>(10, 400));
      }
      CHECK(dimension->complete());
      CHECK((dimension->Kept(3) != nullptr) == (limit == kNoLimit));
    }
    CHECK(plain.memory->reserved() == 0);
  }
}

TEST_CASE("questions about another dataset, and bins of lists, are errors") {
  const Plain plain(2, 10);
  const Plain other(2, 11);
  const auto code_of = [&](const CrossFilterQuestion& question) {
    const auto counts = CrossFilter(*plain.store, question, plain.progress);
    REQUIRE(!counts.has_value());
    return counts.error().code;
  };
  CHECK(code_of({.dimensions = {other.Numbers("value", 0, 10, 10)}}) == ErrorCode::kUsage);
  const Selection selection(other.store->blocks(), std::vector<BlockSelection>(2));
  CHECK(code_of({.among = &selection}) == ErrorCode::kUsage);
  Column list = *FindColumn(*plain.store, "value");
  list.role = ColumnRole::kList;
  const auto dimension = Dimension::Of(plain.store, list, *NumberBins::Of(0, 1, 1), plain.memory);
  REQUIRE(!dimension.has_value());
  CHECK(dimension.error().code == ErrorCode::kUsage);
}

TEST_CASE("a newer question ends the older one") {
  const Plain plain(50, 100);
  LatestQuestion latest;
  const auto first = latest.Begin();
  CHECK(CrossFilter(*plain.store, {}, *first).has_value());
  const auto second = latest.Begin();
  const auto counts = CrossFilter(*plain.store, {}, *first);
  REQUIRE(!counts.has_value());
  CHECK(counts.error().code == ErrorCode::kInterrupted);
  CHECK(CrossFilter(*plain.store, {}, *second).has_value());
  latest.End();
  CHECK(second->cancel);
}

TEST_CASE("the most frequent values make categories, and the rest are other") {
  FeatureInMemory name{"name", {}};
  for (int i = 0; i < 90; ++i)
    name.cells.emplace_back(Strings({i % 3 == 0 ? "a" : i % 9 == 1 ? "b" : std::to_string(i)}));
  const auto store = std::make_shared<ColumnStore>(
      std::make_unique<ColumnsInMemory>(std::vector{name}, std::vector<uint32_t>{40, 50},
                                        ColumnChoice{.mode = ColumnChoice::Mode::kNamed, .names = {"name"}}),
      ColumnStoreOptions{.threads = 2});
  const Column column = *FindColumn(*store, "name");
  const Progress progress;
  const auto frequent = FrequentValues(*store, column, 2, progress);
  REQUIRE(frequent.has_value());
  CHECK(*frequent == std::vector<ValueCount>{{SqlText("a"), 30}, {SqlText("b"), 10}});
  std::vector<ColumnValue> values;
  for (const ValueCount& one : *frequent) values.push_back(one.value);
  const auto dimension = *Dimension::Of(store, column, *Categories::Of(values), std::make_shared<CodeMemory>(kNoLimit));
  const auto counts = CrossFilter(*store, {.dimensions = {dimension}}, progress);
  REQUIRE(counts.has_value());
  CHECK(counts->dimensions[0].bins == std::vector<uint64_t>{30, 10});
  CHECK(counts->dimensions[0].other == 50);
}

}  // namespace ofindex
