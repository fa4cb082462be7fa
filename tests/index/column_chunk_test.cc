#include "index/column_chunk.h"

#include <doctest/doctest.h>
#include <sqlite3.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "base/text.h"
#include "index/column_chunk_bits.h"
#include "index/column_chunk_zone.h"
#include "tests/index/column_values.h"

namespace ofindex {
namespace {

constexpr uint32_t kRecords = 65'536;
constexpr uint32_t kSizes[] = {0, 1, 63, 64, 65, 4095, 4096, 4097, kRecords};

Chunk DecodeRow(const ChunkRow& row, uint32_t records) {
  Result<Chunk> chunk = Chunk::Decode(row.data, records);
  if (!chunk) FAIL(chunk.error().message);
  return std::move(*chunk);
}

bool Same(const Chunk::Value& got, const ColumnValue& expected) {
  return got.type == expected.type && got.integer == expected.integer &&
         std::bit_cast<uint64_t>(got.real) == std::bit_cast<uint64_t>(expected.real) &&
         AsText(got.bytes) == expected.bytes;
}

// Bit patterns that SQL does not tell apart are kept all the same.
bool SameBits(const Chunk& chunk, uint32_t record, const Given& given) {
  if (given.kind == FeatureKind::kFloat) return std::bit_cast<uint32_t>(chunk.floats()[record]) == given.bits;
  if (given.kind == FeatureKind::kDouble) return std::bit_cast<uint64_t>(chunk.doubles()[record]) == given.bits;
  return true;
}

uint32_t CountWrong(const Chunk& chunk, const GivenColumn& column) {
  uint32_t wrong = 0;
  for (uint32_t record = 0; record < column.size(); ++record) {
    const bool present = (chunk.present()[record / 64] >> (record % 64) & 1) != 0;
    wrong += present != (column[record].kind != FeatureKind::kNone) || !Same(chunk.At(record), InSql(column[record])) ||
             !SameBits(chunk, record, column[record]);
  }
  return wrong;
}

TEST_CASE("whatever the values, the gaps and the number of records, every record comes out as it went in") {
  for (const Generator& generator : Generators()) {
    for (const Gaps& gaps : AllGaps()) {
      for (uint32_t records : kSizes) {
        CAPTURE(generator.what);
        CAPTURE(gaps.what);
        CAPTURE(records);
        const GivenColumn column = MakeColumn(generator, gaps, records);
        CHECK(CountWrong(DecodeRow(EncodeColumn(column), records), column) == 0);
      }
    }
  }
}

TEST_CASE("bits behind the last record are 0") {
  for (const Gaps& gaps : AllGaps()) {
    for (uint32_t records : {1U, 63U, 65U, 4097U}) {
      const GivenColumn column = MakeColumn(GeneratorOf("labels"), gaps, records);
      const Chunk chunk = DecodeRow(EncodeColumn(column), records);
      REQUIRE(chunk.present().size() == (records + 63) / 64);
      const uint64_t behind = chunk.present().back() >> (records % 64);
      CHECK(behind == 0);
    }
  }
}

TEST_CASE("integers are decoded to the narrowest of four forms") {
  struct Row {
    uint64_t range;
    size_t form;  // of the variant
  };
  constexpr Row kRows[] = {{0, 0},      {1, 0},           {255, 0},          {256, 1},        {65'535, 1},
                           {65'536, 2}, {0xffffffffU, 2}, {0x100000000U, 3}, {~0ULL >> 1, 3}, {~0ULL, 3}};
  for (const Row& row : kRows) {
    CAPTURE(row.range);
    constexpr int64_t kBase = std::numeric_limits<int64_t>::min();
    GivenColumn column = {Int64(kBase), Int64(static_cast<int64_t>(static_cast<uint64_t>(kBase) + row.range))};
    const Chunk chunk = DecodeRow(EncodeColumn(column), 2);
    CHECK(chunk.form() == Chunk::Form::kIntegers);
    CHECK(chunk.integers().offsets.index() == row.form);
  }
}

TEST_CASE("long values come out whole") {
  GivenColumn column;
  for (int i = 0; i < 20; ++i) {
    std::string value(65'536, i % 2 == 0 ? 'x' : '\xff');
    value[static_cast<size_t>(i) * 3000] = '\0';
    column.push_back(Bytes(value));
    column.push_back(Bytes(std::string(65'536 - static_cast<size_t>(i), 'x')));
  }
  CHECK(CountWrong(DecodeRow(EncodeColumn(column), 40), column) == 0);
}

TEST_CASE("distinct bytes values are in ascending order, each once") {
  const GivenColumn column = MakeColumn(GeneratorOf("any bytes"), AllGaps()[2], 5000);
  const Chunk chunk = DecodeRow(EncodeColumn(column), 5000);
  const Chunk::Texts& texts = chunk.texts();
  REQUIRE(texts.ends.size() > 100);
  for (uint32_t n = 1; n < texts.ends.size(); ++n) CHECK(AsText(texts[n - 1]) < AsText(texts[n]));
}

// ---- Lists ----------------------------------------------------------------------------------------------------------

struct GivenList {
  bool present = false;
  FeatureKind kind = FeatureKind::kNone;
  std::vector<uint64_t> numbers = {};
  std::vector<std::string> texts = {};
};

ChunkRow EncodeLists(const std::vector<GivenList>& lists) {
  ChunkBuilder builder;
  for (uint32_t record = 0; record < lists.size(); ++record) {
    const GivenList& list = lists[record];
    if (!list.present) continue;
    if (list.kind == FeatureKind::kBytes) {
      std::vector<ByteView> views;
      for (const std::string& text : list.texts) views.push_back(AsBytes(text));
      builder.AddTexts(record, views);
    } else {
      builder.AddNumbers(record, list.kind, list.numbers);
    }
  }
  return builder.Encode(static_cast<uint32_t>(lists.size()));
}

bool SameList(const Chunk& chunk, uint32_t record, const GivenList& given) {
  const Chunk::Lists& lists = chunk.lists();
  const uint32_t begin = record == 0 ? 0 : lists.ends[record - 1];
  const uint32_t length = lists.ends[record] - begin;
  const bool present = (chunk.present()[record / 64] >> (record % 64) & 1) != 0;
  if (!given.present) return !present && length == 0;
  if (!present || lists.kinds[lists.kinds.size() == 1 ? 0 : record] != given.kind) return false;
  if (length != given.numbers.size() + given.texts.size()) return false;
  for (uint32_t i = 0; i < length; ++i) {
    if (given.kind == FeatureKind::kBytes) {
      if (AsText(chunk.texts()[chunk.texts().number[begin + i]]) != given.texts[i]) return false;
    } else if (lists.numbers[begin + i] != given.numbers[i]) {
      return false;
    }
  }
  return true;
}

uint32_t CountWrong(const std::vector<GivenList>& lists) {
  const auto records = static_cast<uint32_t>(lists.size());
  const Chunk chunk = DecodeRow(EncodeLists(lists), records);
  REQUIRE(chunk.form() == Chunk::Form::kLists);
  uint32_t wrong = 0;
  for (uint32_t record = 0; record < records; ++record) wrong += !SameList(chunk, record, lists[record]);
  return wrong;
}

GivenList MakeList(Random& random, FeatureKind kind, size_t length) {
  GivenList list{.present = true, .kind = kind};
  for (size_t i = 0; i < length; ++i) {
    switch (kind) {
      case FeatureKind::kBytes: list.texts.push_back(std::string(random() % 4, static_cast<char>(random()))); break;
      case FeatureKind::kFloat: list.numbers.push_back(static_cast<uint32_t>(random())); break;
      case FeatureKind::kInt32: list.numbers.push_back(static_cast<uint64_t>(static_cast<int32_t>(random()))); break;
      default: list.numbers.push_back(random()); break;
    }
  }
  return list;
}

TEST_CASE("lists of every kind and of 0 to 1000 values come out as they went in") {
  Random random(5);
  for (uint8_t kind = 1; kind <= 5; ++kind) {
    for (uint64_t most : {0U, 1U, 3U, 1000U}) {
      for (uint32_t records : {1U, 64U, 300U}) {
        std::vector<GivenList> lists(records);
        for (GivenList& list : lists) {
          if (random() % 5 != 0) list = MakeList(random, static_cast<FeatureKind>(kind), random() % (most + 1));
        }
        lists.front() = MakeList(random, static_cast<FeatureKind>(kind), most);
        CAPTURE(int{kind});
        CAPTURE(most);
        CHECK(CountWrong(lists) == 0);
      }
    }
  }
}

TEST_CASE("lists whose kind differs from record to record, or that have none, come out as they went in") {
  Random random(6);
  for (uint32_t records : {2U, 65U, 4097U}) {
    std::vector<GivenList> lists(records);
    for (GivenList& list : lists) {
      const auto kind = static_cast<FeatureKind>(random() % 6);
      if (random() % 5 != 0) list = MakeList(random, kind, kind == FeatureKind::kNone ? 0 : random() % 9);
    }
    lists[0] = MakeList(random, FeatureKind::kBytes, 2);
    lists[1] = MakeList(random, FeatureKind::kFloat, 0);
    CHECK(CountWrong(lists) == 0);
  }
}

TEST_CASE("a single value among lists is a list of one") {
  ChunkBuilder builder;
  builder.AddInteger(0, 5, FeatureKind::kInt64);
  builder.AddNumbers(1, FeatureKind::kInt64, std::vector<uint64_t>{6, 7});
  builder.AddInteger(3, 8, FeatureKind::kInt64);
  const Chunk chunk = DecodeRow(builder.Encode(4), 4);
  CHECK(chunk.lists().ends == std::vector<uint32_t>{1, 3, 3, 4});
  CHECK(chunk.lists().numbers == std::vector<uint64_t>{5, 6, 7, 8});
}

TEST_CASE("lists that shrink to nearly nothing are padded to a size that justifies their memory") {
  std::vector<GivenList> lists(2000, {.present = true, .kind = FeatureKind::kInt64});
  for (GivenList& list : lists) list.numbers.assign(2000, 3);
  const ChunkRow row = EncodeLists(lists);
  CHECK(row.data.size() > 4'000'000 * 8 / 1024);
  CHECK(row.data.size() < 4'000'000 / 50);
  CHECK(CountWrong(lists) == 0);
}

// ---- The row --------------------------------------------------------------------------------------------------------

// SQLite itself, asked what it makes of the values.
class SqlOracle {
 public:
  SqlOracle() {
    REQUIRE(sqlite3_open(":memory:", &database_) == SQLITE_OK);
    REQUIRE(sqlite3_exec(database_, "CREATE TABLE t(v)", nullptr, nullptr, nullptr) == SQLITE_OK);
  }
  SqlOracle(const SqlOracle&) = delete;
  SqlOracle& operator=(const SqlOracle&) = delete;
  ~SqlOracle() { sqlite3_close(database_); }

  void Insert(const ColumnValue& value) { Ask("INSERT INTO t VALUES (?1)", value); }

  // The first column of the only row that `sql` gives, with ?1 bound to `value`.
  int64_t Ask(const char* sql, const ColumnValue& value = {}) {
    sqlite3_stmt* statement = nullptr;
    REQUIRE(sqlite3_prepare_v2(database_, sql, -1, &statement, nullptr) == SQLITE_OK);
    Bind(statement, value);
    const int outcome = sqlite3_step(statement);
    CHECK((outcome == SQLITE_ROW || outcome == SQLITE_DONE));
    const int64_t answer = outcome == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : 0;
    sqlite3_finalize(statement);
    return answer;
  }

 private:
  static void Bind(sqlite3_stmt* statement, const ColumnValue& value) {
    const auto size = static_cast<int>(value.bytes.size());
    switch (value.type) {
      case ColumnValue::Type::kNull: sqlite3_bind_null(statement, 1); return;
      case ColumnValue::Type::kInteger: sqlite3_bind_int64(statement, 1, value.integer); return;
      case ColumnValue::Type::kReal: sqlite3_bind_double(statement, 1, value.real); return;
      case ColumnValue::Type::kText: sqlite3_bind_text(statement, 1, value.bytes.data(), size, SQLITE_STATIC); return;
      case ColumnValue::Type::kBlob: sqlite3_bind_blob(statement, 1, value.bytes.data(), size, SQLITE_STATIC); return;
    }
  }

  sqlite3* database_ = nullptr;
};

TEST_CASE("nulls, least and greatest value are what SQLite finds in a table of the same values") {
  for (const Generator& generator : Generators()) {
    for (const Gaps& gaps : AllGaps()) {
      for (uint32_t records : {0U, 1U, 7U, 300U}) {
        CAPTURE(generator.what);
        CAPTURE(gaps.what);
        CAPTURE(records);
        const GivenColumn column = MakeColumn(generator, gaps, records, records);
        const ChunkRow row = EncodeColumn(column);
        SqlOracle oracle;
        uint32_t nans = 0;
        for (const Given& given : column) {
          oracle.Insert(InSql(given));
          nans += given.kind != FeatureKind::kNone && InSql(given).type == ColumnValue::Type::kNull;
        }
        CHECK(row.nulls == oracle.Ask("SELECT count(*) - count(v) FROM t"));
        CHECK(row.nans == nans);
        CHECK(oracle.Ask("SELECT ?1 IS min(v) FROM t", row.min) == 1);
        CHECK(oracle.Ask("SELECT ?1 IS max(v) FROM t", row.max) == 1);
        CHECK_FALSE((row.min.type == ColumnValue::Type::kReal && std::signbit(row.min.real) && row.min.real == 0));
      }
    }
  }
}

TEST_CASE("of a long least value there is a part that sorts no higher, of a long greatest one nothing") {
  const std::string x300(300, 'x');
  const std::string umlauts = "x" + [] {
    std::string text;
    for (int i = 0; i < 150; ++i) text += "\xc3\xa4";
    return text;
  }();
  struct Row {
    std::string value;
    size_t size;  // of the least
    ColumnValue::Type type;
  };
  const Row rows[] = {
      {x300.substr(0, 256), 256, ColumnValue::Type::kText},     // just short enough
      {x300.substr(0, 257), 256, ColumnValue::Type::kText},     // just too long
      {umlauts, 255, ColumnValue::Type::kText},                 // would be cut inside of a character
      {"\xff" + x300, 256, ColumnValue::Type::kBlob},           // a BLOB may be cut anywhere
      {umlauts.substr(0, 300), 256, ColumnValue::Type::kBlob},  // one that ends inside of a character
      {x300.substr(0, 255) + "\xf0\x9f\x98\x80", 255, ColumnValue::Type::kText},
  };
  for (const Row& row : rows) {
    const ChunkRow chunk = EncodeColumn({Bytes(row.value)});
    CHECK(chunk.min.bytes == row.value.substr(0, row.size));
    CHECK(chunk.min.type == row.type);
    CHECK((chunk.max.type == ColumnValue::Type::kNull) == (row.value.size() > 256));
    SqlOracle oracle;
    oracle.Insert(InSql(Bytes(row.value)));
    CHECK(oracle.Ask("SELECT ?1 <= min(v) FROM t", chunk.min) == 1);
  }
}

TEST_CASE("an integer and a real are compared exactly, where either would be rounded to the other") {
  struct Row {
    int64_t integer;
    double real;
    std::strong_ordering order;
  };
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  const Row rows[] = {
      {kMost, 9223372036854775808.0, std::strong_ordering::less},
      {-kMost - 1, -9223372036854775808.0, std::strong_ordering::equal},
      {(int64_t{1} << 53) + 1, 9007199254740992.0, std::strong_ordering::greater},
      {0, -0.0, std::strong_ordering::equal},
      {0, 5e-324, std::strong_ordering::less},
      {-1, -1.5, std::strong_ordering::greater},
      {1, 1.5, std::strong_ordering::less},
      {kMost, std::numeric_limits<double>::infinity(), std::strong_ordering::less},
      {-kMost - 1, -std::numeric_limits<double>::infinity(), std::strong_ordering::greater},
  };
  for (const Row& row : rows) CHECK(CompareNumbers(row.integer, row.real) == row.order);
}

TEST_CASE("the row of lists counts records without the feature, and has least and greatest of all values") {
  ChunkBuilder builder;
  builder.AddNumbers(1, FeatureKind::kInt64, std::vector<uint64_t>{5, 2, 9});
  builder.AddNumbers(2, FeatureKind::kInt64, {});
  builder.AddNumbers(4, FeatureKind::kFloat, std::vector<uint64_t>{0x7fc00000, std::bit_cast<uint32_t>(9.5F)});
  const ChunkRow row = builder.Encode(6);
  CHECK(row.nulls == 3);
  CHECK(row.nans == 0);
  CHECK(row.min.integer == 2);
  CHECK(row.max.real == 9.5);
}

// ---- The bytes ------------------------------------------------------------------------------------------------------

TEST_CASE("the same values give the same bytes, whatever the builder was used for before") {
  ChunkBuilder builder;
  for (const Generator& generator : Generators()) {
    const GivenColumn column = MakeColumn(generator, AllGaps()[2], 3000);
    for (uint32_t record = 0; record < column.size(); ++record) AddTo(builder, record, column[record]);
    CHECK_FALSE(builder.empty());
    CHECK(builder.Encode(3000).data == EncodeColumn(column).data);
    CHECK(builder.empty());
  }
  CHECK(builder.memory() > 0);
}

TEST_CASE("the examples of docs/column_format.md are written byte for byte as they stand there") {
  const ChunkRow integers = EncodeColumn({Int64(3), Given{}, Int64(5), Int64(4), Int64(3), Int64(10)});
  CHECK(ToHex(integers.data) == "01010601003d010607005070");
  const ChunkRow texts = EncodeColumn({Bytes("cat"), Bytes("car"), Bytes("dog"), Bytes("car")});
  CHECK(ToHex(texts.data) == "010404000003010002000801020200220063617274646f670100020021");
}

TEST_CASE("typical columns are as small as they should be") {
  struct Row {
    const char* generator;
    double most_bits;  // a record
  };
  constexpr Row kRows[] = {
      {"one integer", 0.01},          {"labels", 10.1},        {"skewed labels", 2.6},      {"ids in order", 0.05},
      {"ids in falling order", 0.05}, {"timestamps", 9.1},     {"labels in order", 0.4},    {"few large numbers", 6.1},
      {"rare large ones", 8},         {"whole doubles", 10.1}, {"floats as doubles", 10.5}, {"one text", 0.02},
      {"class names", 5.1},           {"names of files", 25},
  };
  for (const Row& row : kRows) {
    const Generator generator = GeneratorOf(row.generator);
    CAPTURE(generator.what);
    const ChunkRow chunk = EncodeColumn(MakeColumn(generator, AllGaps()[0], kRecords));
    CHECK(8.0 * static_cast<double>(chunk.data.size()) / kRecords < row.most_bits);
  }
}

TEST_CASE("numbers chosen to collide in the search for distinct ones are encoded all the same") {
  // k times the inverse of the multiplier hashes to k: all to one place.
  uint64_t inverse = 1;
  for (int i = 0; i < 6; ++i) inverse *= 2 - 0x9e3779b97f4a7c15U * inverse;
  REQUIRE(inverse * 0x9e3779b97f4a7c15U == 1);
  GivenColumn column;
  for (uint64_t i = 0; i < kRecords; ++i) column.push_back(Int64(static_cast<int64_t>(i % 20'000 * inverse)));
  CHECK(CountWrong(DecodeRow(EncodeColumn(column), kRecords), column) == 0);
}

template <typename T>
void CheckBits() {
  Random random(9);
  for (uint32_t width = 0; width <= 8 * sizeof(T); ++width) {
    for (size_t count : {0U, 1U, 7U, 8U, 9U, 31U, 64U, 100U, 1024U}) {
      std::vector<uint64_t> values(count);
      for (uint64_t& value : values) value = width == 0 ? 0 : random() >> (64 - width);
      std::vector<uint8_t> packed;
      PackBits(values, width, packed);
      REQUIRE(packed.size() == BitsBytes(count, width));
      // In memory of just its size, so that the sanitizer sees every byte read beyond it.
      const auto exact = std::make_unique<uint8_t[]>(packed.size());
      std::copy(packed.begin(), packed.end(), exact.get());
      std::vector<T> out(count);
      UnpackBits<T>(ByteView(exact.get(), packed.size()), width, out);
      CHECK(std::equal(out.begin(), out.end(), values.begin(), values.end()));
    }
  }
}

TEST_CASE("fields of every width are unpacked to every form that holds them, without a byte read beyond") {
  CheckBits<uint8_t>();
  CheckBits<uint16_t>();
  CheckBits<uint32_t>();
  CheckBits<uint64_t>();
}

TEST_CASE("text is what is well-formed UTF-8 without NUL") {
  const std::string texts[] = {
      "", "a", "twelve bytes", "\xc3\xa4", "\xf4\x8f\xbf\xbf", "\xed\x9f\xbf", "12345678\xc2\x80"};
  for (const std::string& text : texts) CHECK(IsText(AsBytes(text)));
  const std::string blobs[] = {
      std::string(1, '\0'),          // NUL
      std::string("1234567\0x", 9),  // NUL in the first word
      std::string("12345678\xc3\xa4\0", 11),
      "\x80",              // a continuation without a lead
      "\xc0\xaf",          // an overlong form
      "\xe0\x9f\xbf",      // another
      "\xf0\x8f\xbf\xbf",  // another
      "\xed\xa0\x80",      // a surrogate
      "\xf4\x90\x80\x80",  // above U+10FFFF
      "1234567\xff",
      "12345678\xc3",  // cut short
  };
  for (const std::string& blob : blobs) CHECK_FALSE(IsText(AsBytes(blob)));
  Random random(12);
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes(random() % 20, 'a');
    for (int changes = static_cast<int>(random() % 4); changes > 0 && !bytes.empty(); --changes)
      bytes[random() % bytes.size()] = static_cast<char>(random());
    CHECK(IsText(AsBytes(bytes)) == DecodesAsText(bytes));
  }
}

TEST_CASE("values beyond what a chunk may hold are not collected, and the row has no data") {
  ChunkBuilder builder;
  // Never touched, and so never in memory.
  constexpr size_t kTooMany = (512 << 20) / 8 + 1;
  const std::unique_ptr<void, decltype(&std::free)> numbers(std::calloc(kTooMany, sizeof(uint64_t)), &std::free);
  builder.AddInteger(0, 1, FeatureKind::kInt64);
  CHECK_FALSE(builder.too_large());
  builder.AddNumbers(1, FeatureKind::kInt64, {static_cast<const uint64_t*>(numbers.get()), kTooMany});
  CHECK(builder.too_large());
  builder.AddInteger(2, 1, FeatureKind::kInt64);
  CHECK(builder.Encode(3).data.empty());
  CHECK_FALSE(builder.too_large());
  builder.AddInteger(0, 1, FeatureKind::kInt64);
  CHECK(builder.Encode(1).nulls == 0);
}

TEST_CASE("an empty list of a kind that has no value anywhere decodes, beside lists that have some") {
  const std::vector<uint64_t> one = {5};
  ChunkBuilder builder;
  builder.AddNumbers(0, FeatureKind::kInt64, one);
  builder.AddTexts(1, {});
  builder.AddNumbers(2, FeatureKind::kInt64, one);
  const ChunkRow row = builder.Encode(3);
  const auto chunk = Chunk::Decode(row.data, 3);
  REQUIRE(chunk);
  CHECK(chunk->lists().ends == std::vector<uint32_t>{1, 1, 2});
  CHECK(chunk->lists().numbers == std::vector<uint64_t>{5, 5});
}

}  // namespace
}  // namespace ofindex
