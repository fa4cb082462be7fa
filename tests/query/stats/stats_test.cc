#include "query/stats/stats.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>

#include "query/columns/find_column.h"
#include "query/columns/value_order.h"
#include "tests/query/stats/stats_table.h"

namespace ofindex {
namespace {

ColumnStats Stats(ColumnStore& store, const Column& column, StatsOptions options = {}) {
  Result<ColumnStats> stats = StatsOf(store, column, options);
  REQUIRE_MESSAGE(stats.has_value(), stats.error().message);
  return std::move(*stats);
}

// The SQL equivalents of the statistics of a column query the values `v` of `from`, or of `numbers`.
struct Questions {
  explicit Questions(const Column& column) {
    const std::string name = QuotedName(column.name);
    from = column.is_list() ? "(SELECT value v FROM records, json_each(" + name + "))"
                            : "(SELECT " + name + " v FROM records)";
    numbers = from + " WHERE typeof(v) IN ('integer', 'real')";
  }
  std::string from;
  std::string numbers;
};

std::vector<double> SortedNumbers(const StatsTable& table, const Questions& questions) {
  std::vector<double> numbers;
  for (const auto& row : table.Ask("SELECT CAST(v AS REAL) FROM " + questions.numbers)) numbers.push_back(row[0].real);
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

double Percentile(const std::vector<double>& sorted, double share) {
  const double place = static_cast<double>(sorted.size() - 1) * share;
  const auto low = static_cast<size_t>(place);
  const double part = place - static_cast<double>(low);
  if (part == 0 || sorted[low] == sorted[low + 1]) return sorted[low];
  return sorted[low] + (sorted[low + 1] - sorted[low]) * part;
}

bool Close(double a, double b) { return a == b || std::abs(a - b) <= 1e-9 * (std::abs(a) + std::abs(b)); }

long double Deviation(const StatsTable& table, const Questions& ask) {
  std::vector<long double> numbers;
  long double sum = 0;
  for (const auto& row : table.Ask("SELECT v FROM " + ask.numbers)) {
    const bool integer = row[0].type == ColumnValue::Type::kInteger;
    numbers.push_back(integer ? static_cast<long double>(row[0].integer) : static_cast<long double>(row[0].real));
  }
  const long double shift = numbers[0];  // moves numbers that are close to each other close to 0
  for (long double& number : numbers) sum += number -= shift;
  const long double mean = sum / static_cast<long double>(numbers.size());
  long double squares = 0;
  for (const long double value : numbers) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<long double>(numbers.size() - 1));
}

void CheckCounts(const StatsTable& table, const Questions& ask, const ColumnStats& stats, const Column& column) {
  CHECK(stats.rows == table.columns().records());
  CHECK(stats.count == static_cast<uint64_t>(table.AskOne("SELECT count(v) FROM " + ask.from).integer));
  CHECK(stats.numbers == static_cast<uint64_t>(table.AskOne("SELECT count(v) FROM " + ask.numbers).integer));
  const std::string nulls = "SELECT count(*) FROM records WHERE " + QuotedName(column.name) + " IS NULL";
  CHECK(stats.nulls == static_cast<uint64_t>(table.AskOne(nulls).integer));
  const std::string distinct = "SELECT count(DISTINCT v) FROM " + ask.from;
  CHECK(stats.distinct == static_cast<uint64_t>(table.AskOne(distinct).integer));
  CHECK(stats.distinct_is_exact);
}

void CheckNumbers(const StatsTable& table, const Questions& ask, const ColumnStats& stats) {
  CHECK(Same(stats.min, table.AskOne("SELECT min(v) FROM " + ask.from)));
  CHECK(Same(stats.max, table.AskOne("SELECT max(v) FROM " + ask.from)));
  const std::vector<double> numbers = SortedNumbers(table, ask);
  long double scale = 0;
  for (const double value : numbers) scale = std::max(scale, std::abs(static_cast<long double>(value)));
  CHECK(Near(stats.mean, table.AskOne("SELECT avg(v) FROM " + ask.numbers), static_cast<double>(scale)));
  CHECK(stats.quartiles.has_value() == !numbers.empty());
  if (numbers.empty()) return;
  CHECK(Close(stats.quartiles->first, Percentile(numbers, 0.25)));
  CHECK(Close(stats.quartiles->median, Percentile(numbers, 0.5)));
  CHECK(Close(stats.quartiles->third, Percentile(numbers, 0.75)));
  if (numbers.size() < 2 || std::isinf(numbers.back())) {
    CHECK(!stats.deviation);
    return;
  }
  REQUIRE(stats.deviation);
  // Large numbers that are close to each other lose the digits that do not fit in a long double.
  const long double apart = std::abs(static_cast<long double>(*stats.deviation) - Deviation(table, ask));
  CHECK(apart <= 1e-12L * static_cast<long double>(*stats.deviation) + scale * 0x1p-63L);
}

void CheckTop(const StatsTable& table, const Questions& ask, const ColumnStats& stats) {
  const auto rows =
      table.Ask("SELECT v, count(*) FROM " + ask.from + " WHERE v IS NOT NULL GROUP BY v ORDER BY 2 DESC, v LIMIT 5");
  REQUIRE(stats.top.size() == rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    CHECK(Same(stats.top[i].value, rows[i][0]));
    CHECK(stats.top[i].count == static_cast<uint64_t>(rows[i][1].integer));
  }
}

void CheckHistogram(const StatsTable& table, const Questions& ask, const ColumnStats& stats) {
  CHECK(stats.histogram.size() <= 7);
  for (size_t i = 0; i < stats.histogram.size(); ++i) {
    const HistogramBin& bin = stats.histogram[i];
    const bool last = i + 1 == stats.histogram.size();
    if (!last) CHECK(Same(bin.end, stats.histogram[i + 1].begin));
    const std::string in = std::string("v >= ?1 AND v ") + (last ? "<= ?2" : "< ?2");
    const auto expected = table.AskOne("SELECT count(*) FROM " + ask.numbers + " AND " + in, {bin.begin, bin.end});
    CHECK(bin.count == static_cast<uint64_t>(expected.integer));
  }
}

void CheckLengths(const StatsTable& table, const Questions& ask, const ColumnStats& stats) {
  const std::string length = "length(CAST(v AS BLOB))";
  const auto row = table.Ask("SELECT count(*), min(" + length + "), max(" + length + "), sum(" + length + ") FROM " +
                             ask.from + " WHERE typeof(v) IN ('text', 'blob')")[0];
  CHECK(stats.lengths.count == static_cast<uint64_t>(row[0].integer));
  CHECK(stats.lengths.min == static_cast<uint64_t>(row[1].integer));
  CHECK(stats.lengths.max == static_cast<uint64_t>(row[2].integer));
  CHECK(stats.lengths.sum == static_cast<uint64_t>(row[3].integer));
}

void CheckAllColumns(const StatsTable& table) {
  for (const Column& column : ShownColumns(table.store())) {
    CAPTURE(column.name);
    const Questions ask(column);
    const ColumnStats stats = Stats(table.store(), column, {.top = 5, .bins = 7});
    CHECK(stats.column == column.name);
    CheckCounts(table, ask, stats, column);
    CheckNumbers(table, ask, stats);
    CheckTop(table, ask, stats);
    CheckHistogram(table, ask, stats);
    CheckLengths(table, ask, stats);
  }
}

TEST_CASE("statistics of columns of every kind equal SQL over a plain table of the same values") {
  for (uint32_t seed = 0; seed < 6; ++seed) {
    CAPTURE(seed);
    CheckAllColumns(StatsTable(seed));
  }
}

TEST_CASE("statistics of a list column cover all elements, and give the lengths of the lists") {
  for (uint32_t seed = 20; seed < 23; ++seed) {
    const StatsTable table(seed, {.mode = ColumnChoice::Mode::kNamed, .names = {"boxes", "reals", "words of"}});
    CheckAllColumns(table);
    const Column boxes = FindColumn(table.store(), "boxes").value();
    REQUIRE(boxes.is_list());
    const ColumnStats stats = Stats(table.store(), boxes);
    const auto row = table.Ask(
        "SELECT count(n), min(n), max(n), sum(n) FROM (SELECT json_array_length(boxes) n FROM "
        "records)")[0];
    CHECK(stats.lists.count == static_cast<uint64_t>(row[0].integer));
    CHECK(stats.lists.min == static_cast<uint64_t>(row[1].integer));
    CHECK(stats.lists.max == static_cast<uint64_t>(row[2].integer));
    CHECK(stats.lists.sum == static_cast<uint64_t>(row[3].integer));
  }
}

// A dataset of one feature, in one block.
std::unique_ptr<ColumnStore> StoreOfX(const std::vector<Cell>& cells) {
  FeatureInMemory feature{"x", {cells.begin(), cells.end()}};
  return std::make_unique<ColumnStore>(
      std::make_unique<ColumnsInMemory>(std::vector{feature}, std::vector{static_cast<uint32_t>(cells.size())}),
      ColumnStoreOptions{});
}

ColumnStats StatsOfX(const std::vector<Cell>& cells, StatsOptions options = {}) {
  const auto store = StoreOfX(cells);
  return Stats(*store, FindColumn(*store, "x").value(), options);
}

TEST_CASE("a record is NULL in a column of single values because the feature is absent, empty, or has several values") {
  for (uint32_t seed = 30; seed < 33; ++seed) {
    const StatsTable table(seed);
    const Column boxes = FindColumn(table.store(), "boxes").value();
    REQUIRE(boxes.role == ColumnRole::kValue);
    const auto count = [&](const std::string& where) {
      return static_cast<uint64_t>(table.AskOne("SELECT count(*) FROM records WHERE \"boxes#count\" " + where).integer);
    };
    const ColumnStats stats = Stats(table.store(), boxes);
    REQUIRE(stats.null_reasons);
    CHECK(*stats.null_reasons == NullReasons{count("IS NULL"), count("= 0"), count("> 1")});
    CHECK(stats.null_reasons->several > 0);
    CHECK(stats.nulls == count("IS NOT 1"));
  }
}

TEST_CASE("the reasons for NULL count records as often as these count, and only those of single values") {
  const auto store = StoreOfX({Ints({1, 2}), Cell{}, Ints({5})});
  const Column column = FindColumn(*store, "x").value();
  const auto thrice = [](uint64_t begin, uint64_t end) { return std::vector<uint64_t>(end - begin, 3); };
  CHECK(Stats(*store, column, {.among = thrice}).null_reasons == NullReasons{.absent = 0, .empty = 3, .several = 3});
  CHECK(!Stats(*store, FindColumn(*store, "x#count").value()).null_reasons);
  CHECK(!Stats(*store, FindColumn(*store, "_length").value()).null_reasons);
}

TEST_CASE("NaN counts as NULL and is also counted separately, and minus zero equals zero") {
  const ColumnStats stats = StatsOfX({Doubles({NAN}), Doubles({-0.0}), Doubles({0.0}), Cell{}, Floats({NAN})});
  CHECK(stats.count == 2);
  CHECK(stats.nulls == 3);
  CHECK(stats.nans == 2);
  CHECK(stats.distinct == 1);
  REQUIRE(stats.top.size() == 1);
  CHECK(stats.top[0].value == ColumnValue{.type = ColumnValue::Type::kReal, .real = 0});
  CHECK(!std::signbit(stats.top[0].value.real));
  CHECK(!std::signbit(stats.min.real));
}

TEST_CASE("an integer and a real are equal exactly if their values are") {
  const int64_t odd = (int64_t{1} << 53) + 1;  // not exact as a double
  const ColumnStats stats = StatsOfX({Ints({odd}), Doubles({0x1p53}), Ints({odd - 1}), Doubles({0x1p63}),
                                      Ints({std::numeric_limits<int64_t>::max()})});
  CHECK(stats.distinct == 4);
  CHECK(stats.top[0].value == ColumnValue{.type = ColumnValue::Type::kInteger, .integer = odd - 1});
  CHECK(stats.top[0].count == 2);
  CHECK(stats.max == ColumnValue{.type = ColumnValue::Type::kReal, .real = 0x1p63});
}

TEST_CASE("neither integers nor reals at the ends of their range overflow") {
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  constexpr double kHuge = std::numeric_limits<double>::max();
  const ColumnStats integers = StatsOfX({Ints({kMin}), Ints({kMax}), Ints({kMax}), Ints({kMin})}, {.bins = 2});
  CHECK(integers.mean == -0.5);
  REQUIRE(integers.histogram.size() == 2);
  CHECK(integers.histogram[0].count == 2);
  CHECK(integers.histogram[1].begin.integer == 0);
  CHECK(StatsOfX({Ints({kMax}), Ints({kMax})}).mean == 0x1p63);
  const ColumnStats reals = StatsOfX({Doubles({kHuge}), Doubles({kHuge}), Doubles({-kHuge}), Doubles({-kHuge})});
  CHECK(reals.mean == 0);
  CHECK(reals.quartiles->median == 0);
  CHECK(reals.histogram.size() == 10);
}

TEST_CASE("bins of integers begin at integers, and there are no more bins than integers") {
  const ColumnStats stats = StatsOfX({Ints({3}), Ints({5}), Ints({3}), Ints({4})});
  REQUIRE(stats.histogram.size() == 3);
  CHECK(stats.histogram[0].begin == ColumnValue{.type = ColumnValue::Type::kInteger, .integer = 3});
  CHECK(stats.histogram[0].count == 2);
  CHECK(stats.histogram[2].end.integer == 5);
}

TEST_CASE("infinities are values of a column, but in no bin") {
  const double infinity = std::numeric_limits<double>::infinity();
  const ColumnStats one = StatsOfX({Doubles({1}), Doubles({infinity}), Doubles({2}), Doubles({3})});
  CHECK(one.count == 4);
  CHECK(one.mean == infinity);
  CHECK(!one.deviation);
  CHECK(one.histogram.back().end.real == 3);
  const ColumnStats both = StatsOfX({Doubles({-infinity}), Doubles({infinity})});
  CHECK(!both.mean);
  CHECK(!both.quartiles);
  CHECK(both.histogram.empty());
  CHECK(both.distinct == 2);
}

TEST_CASE("a column without values has counts, and nothing else") {
  for (const std::vector<Cell>& cells : {std::vector<Cell>{}, std::vector<Cell>{Cell{}, Cell{}}}) {
    const auto store = StoreOfX(cells);
    const ColumnStats stats = Stats(*store, {.name = "x"});
    CHECK(stats.rows == cells.size());
    CHECK(stats.nulls == cells.size());
    CHECK(stats.count == 0);
    CHECK(stats.min.type == ColumnValue::Type::kNull);
    CHECK(!stats.mean);
    CHECK(!stats.quartiles);
    CHECK(stats.top.empty());
    CHECK(stats.histogram.empty());
  }
}

// Returns a dataset of 1.3 million records. Its ordinals are more distinct values than are counted exactly.
std::unique_ptr<ColumnStore> ManyRecords(unsigned threads) {
  const std::vector<uint32_t> blocks(20, 65536);
  return std::make_unique<ColumnStore>(std::make_unique<ColumnsInMemory>(std::vector<FeatureInMemory>{}, blocks),
                                       ColumnStoreOptions{.threads = threads});
}

TEST_CASE("too many distinct values are estimated, and everything else is exact") {
  const uint64_t records = 20 * 65536;
  const auto store = ManyRecords(3);
  const ColumnStats stats = Stats(*store, FindColumn(*store, "_id").value());
  CHECK(!stats.distinct_is_exact);
  CHECK(std::abs(static_cast<double>(stats.distinct) / static_cast<double>(records) - 1) < 0.1);
  CHECK(stats.top.empty());
  CHECK(stats.mean == static_cast<double>(records - 1) / 2);
  CHECK(stats.quartiles->first == static_cast<double>(records - 1) / 4);
  CHECK(stats.quartiles->median == static_cast<double>(records - 1) / 2);
  CHECK(stats.quartiles->third == static_cast<double>(records - 1) * 3 / 4);
  CHECK(stats.min.integer == 0);
  CHECK(stats.max.integer == static_cast<int64_t>(records - 1));
  REQUIRE(stats.histogram.size() == 10);
  for (const HistogramBin& bin : stats.histogram) CHECK(bin.count == records / 10);
}

TEST_CASE("the statistics do not depend on the number of threads") {
  const StatsTable table(3);
  for (const Column& column : table.store().columns()) {
    CAPTURE(column.name);
    std::optional<ColumnStats> first;
    for (const unsigned threads : {1U, 2U, 5U}) {
      ColumnStore store(
          std::make_unique<ColumnsInMemory>(table.columns().data(), std::vector<uint32_t>{700, 1, 64, 300, 129}),
          {.threads = threads});
      const ColumnStats stats = Stats(store, column);
      if (!first) first = stats;
      CHECK(stats.mean == first->mean);  // to the last bit
      CHECK(stats.deviation == first->deviation);
      CHECK(stats.top == first->top);
      CHECK(stats.distinct == first->distinct);
    }
  }
  CHECK(Stats(*ManyRecords(1), {"_id", Column::Origin::kId}).distinct ==
        Stats(*ManyRecords(4), {"_id", Column::Origin::kId}).distinct);
}

BlockCounts Integers(std::vector<Count<int64_t>> counts) {
  BlockCounts block;
  block.integers = std::move(counts);
  return block;
}

TEST_CASE("the most frequent values are found even if not all values fit in memory") {
  ValueCounts counts;
  std::vector<BlockCounts> blocks;
  for (int64_t b = 0; b < 40; ++b) {
    blocks.push_back(Integers({{-2, b < 20 ? 900U : 1U}, {-1, b < 20 ? 1U : 800U}}));
    for (int64_t i = 0; i < 60'000; ++i) blocks.back().integers.push_back({b * 60'000 + i, 1});
  }
  for (const BlockCounts& block : blocks) counts.Add(block);
  counts.Settle();
  CHECK(!counts.exact());
  CHECK(counts.size() <= ValueCounts::kMaxDistinct);
  CHECK(counts.min_distinct() > ValueCounts::kMaxDistinct);
  counts.Zero();
  for (const BlockCounts& block : blocks) counts.Recount(block);
  const std::vector<ValueCount> top = counts.Top(10);
  REQUIRE(top.size() == 2);  // all other values occur once
  CHECK(top[0] == ValueCount{{.type = ColumnValue::Type::kInteger, .integer = -2}, 20 * 900 + 20});
  CHECK(top[1] == ValueCount{{.type = ColumnValue::Type::kInteger, .integer = -1}, 20 * 800 + 20});
}

TEST_CASE("byte strings of 64 KiB are counted like shorter ones if memory allows") {
  ValueCounts counts;
  FeatureInMemory feature{"x", {}};
  for (int i = 0; i < 100; ++i) {
    std::string text(64 << 10, 'x');
    text += std::to_string(i % 99);
    feature.cells.push_back(Strings({std::move(text)}));
  }
  ChunkBuilder builder;
  for (uint32_t r = 0; r < 100; ++r) builder.AddBytes(r, AsBytes(feature.cells[r]->strings[0]));
  const auto chunk = std::make_shared<const Chunk>(Chunk::Decode(builder.Encode(100).data, 100).value());
  counts.Add(CountValues({chunk}, false));
  counts.Settle();
  CHECK(counts.exact());
  CHECK(counts.size() == 99);
  CHECK(counts.Top(1)[0].count == 2);
}

/// A source that fails from one block on.
class FailingColumns final : public ColumnSource {
 public:
  FailingColumns(std::unique_ptr<ColumnSource> sound, uint64_t broken) : sound_(std::move(sound)), broken_(broken) {}

  const std::vector<ShardRow>& shards() const override { return sound_->shards(); }
  const std::vector<BlockMetadata>& blocks() const override { return sound_->blocks(); }
  const std::vector<FeatureRow>& features() const override { return sound_->features(); }
  Result<std::vector<std::optional<ChunkRow>>> ChunkMetadata(uint32_t feature, ColumnRole role) override {
    return sound_->ChunkMetadata(feature, role);
  }
  Result<std::vector<uint8_t>> Data(uint32_t feature, ColumnRole role, uint64_t block) override {
    if (block >= broken_) return Fail(ErrorCode::kIndex, "block " + std::to_string(block) + " is broken");
    return sound_->Data(feature, role, block);
  }
  Result<std::vector<PackedOffsets::Extent>> Places(uint64_t block) override { return sound_->Places(block); }

 private:
  std::unique_ptr<ColumnSource> sound_;
  uint64_t broken_;
};

TEST_CASE("if chunks are unreadable, the error is that of the first such block, on any number of threads") {
  const std::vector<uint32_t> blocks(30, 4);
  FeatureInMemory feature{"x", std::vector<std::optional<Cell>>(120, Ints({5}))};
  for (const unsigned threads : {1U, 2U, 8U}) {
    auto sound = std::make_unique<ColumnsInMemory>(std::vector{feature}, blocks);
    ColumnStore store(std::make_unique<FailingColumns>(std::move(sound), 7), {.threads = threads});
    const auto stats = StatsOf(store, FindColumn(store, "x").value(), {});
    REQUIRE(!stats.has_value());
    CHECK(stats.error().code == ErrorCode::kIndex);
    CHECK(stats.error().message == "block 7 is broken");
  }
}

/// Records 1 and 3 of each of two blocks count `times` times, all others do not count.
StatsOptions::Among TwoOfEach(uint64_t times) {
  return [times](uint64_t begin, uint64_t end) {
    std::vector<uint64_t> all(end - begin);
    all[1] = all[3] = times;
    return all;
  };
}

TEST_CASE("a record counts as often as it is picked, a trillion times or once, without copies of its values") {
  FeatureInMemory number{"x", {}}, list{"y", {}};
  for (int i = 0; i < 40; ++i) {
    number.cells.emplace_back(i % 4 == 3 ? std::optional<Cell>() : Ints({i}));
    list.cells.emplace_back(Ints({i, i + 1}));
  }
  ColumnStore store(
      std::make_unique<ColumnsInMemory>(std::vector{number, list}, std::vector<uint32_t>{30, 10},
                                        ColumnChoice{.mode = ColumnChoice::Mode::kNamed, .names = {"x", "y"}}),
      {.threads = 2});
  for (const uint64_t times : {uint64_t{1}, uint64_t{70'000}, uint64_t{1'000'000'000'000}}) {
    CAPTURE(times);
    const StatsOptions options{.among = TwoOfEach(times)};
    const ColumnStats numbers = Stats(store, FindColumn(store, "x").value(), options);
    CHECK(numbers.rows == 4 * times);
    CHECK(numbers.count == 2 * times);  // 3 and 31 have none
    CHECK(numbers.nulls == 2 * times);
    CHECK(numbers.distinct == 2);
    CHECK(numbers.mean == doctest::Approx(17));
    CHECK(numbers.quartiles->median == 17);
    CHECK(numbers.top.size() == 2);
    CHECK(numbers.top[0].count == times);
    const ColumnStats lists = Stats(store, FindColumn(store, "y").value(), options);
    CHECK(lists.rows == 4 * times);
    CHECK(lists.count == 8 * times);
    CHECK(lists.distinct == 8);
    CHECK(lists.lists.count == 4 * times);
  }
}

TEST_CASE("if there are too many distinct values to count, records still count as often as they are picked") {
  const auto store = ManyRecords(2);
  const auto twice = [](uint64_t begin, uint64_t end) { return std::vector<uint64_t>(end - begin, 2); };
  const Column column = {"_id", Column::Origin::kId};
  const ColumnStats once = Stats(*store, column);
  const ColumnStats both = Stats(*store, column, {.among = twice});
  REQUIRE(!once.distinct_is_exact);
  CHECK(both.rows == 2 * once.rows);
  CHECK(std::min(both.distinct, once.count) == once.distinct);  // an estimate is at most the number of values
  CHECK(both.mean == once.mean);
  CHECK(both.quartiles->median == once.quartiles->median);
  REQUIRE(both.histogram.size() == once.histogram.size());
  for (size_t i = 0; i < once.histogram.size(); ++i) CHECK(both.histogram[i].count == 2 * once.histogram[i].count);
}

TEST_CASE("statistics can be cancelled") {
  const auto store = ManyRecords(2);
  const std::atomic<bool> cancel{true};
  const auto stats = StatsOf(*store, FindColumn(*store, "_id").value(), {.cancel = &cancel});
  REQUIRE(!stats.has_value());
  CHECK(stats.error().code == ErrorCode::kInterrupted);
}

}  // namespace
}  // namespace ofindex
