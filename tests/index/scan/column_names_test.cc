#include "index/scan/column_names.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace ofindex {
namespace {

constexpr uint8_t kInt = 1 << static_cast<int>(FeatureKind::kInt64);
constexpr uint8_t kText = 1 << static_cast<int>(FeatureKind::kBytes);

FeatureRow Scalar(std::string name) {
  return {
      .name = std::move(name), .kinds = kInt, .present = 5, .values = 5, .values_min = 1, .values_max = 1, .single = 5};
}

FeatureRow BytesScalar(std::string name, uint64_t largest) {
  FeatureRow row = Scalar(std::move(name));
  row.kinds = kText;
  row.largest_bytes = largest;
  return row;
}

FeatureRow Listed(std::string name, uint64_t single) {
  FeatureRow row = Scalar(std::move(name));
  row.values_max = 9;
  row.single = single;
  return row;
}

// Returns the columns of each feature as "value count size", with '-' for none. `rows` must be sorted by name.
std::vector<std::string> NamesOf(std::vector<FeatureRow> rows, const ColumnChoice& choice = {}) {
  std::vector<FeatureRow*> by_name;
  for (FeatureRow& row : rows) by_name.push_back(&row);
  CHECK(NameColumns(by_name, choice) == 0);
  std::vector<std::string> names;
  const auto shown = [](const std::string& name) { return name.empty() ? "-" : name; };
  for (const FeatureRow& row : rows) {
    names.push_back(shown(row.sql_value) + " " + shown(row.sql_count) + " " + shown(row.sql_size) +
                    (row.whole ? " whole" : ""));
  }
  return names;
}

using Names = std::vector<std::string>;

TEST_CASE("auto gives a value column for single short values, a size column for long ones, a count column for lists") {
  CHECK(NamesOf({Scalar("a")}) == Names{"a - -"});
  CHECK(NamesOf({BytesScalar("a", 64)}) == Names{"a - -"});
  CHECK(NamesOf({BytesScalar("a", 65)}) == Names{"- - a#bytes"});
  CHECK(NamesOf({Listed("a", 3)}) == Names{"a a#count -"});
  CHECK(NamesOf({Listed("a", 0)}) == Names{"- a#count -"});
  FeatureRow never = Scalar("a");
  never.single = 0;
  never.values_max = 0;
  CHECK(NamesOf({never}) == Names{"- - -"});
}

TEST_CASE("only the named features have columns, which include whole lists and long values") {
  const ColumnChoice choice{.mode = ColumnChoice::Mode::kNamed, .names = {"b", "c", "d"}};
  CHECK(NamesOf({Scalar("a"), Listed("b", 0), BytesScalar("c", 65'536), BytesScalar("d", 65'537)}, choice) ==
        Names{"- - -", "b b#count - whole", "c - -", "- - d#bytes"});
  CHECK(NamesOf({Scalar("a")}, {.mode = ColumnChoice::Mode::kNone}) == Names{"- - -"});
}

TEST_CASE("names that are equal in SQL are numbered in byte order") {
  CHECK(NamesOf({Scalar("LABEL"), Scalar("Label"), Scalar("label")}) ==
        Names{"LABEL - -", "Label_2 - -", "label_3 - -"});
  CHECK(NamesOf({Scalar("_ID"), Scalar("_hash"), Scalar("_length"), Scalar("_shard_2")}) ==
        Names{"_ID_2 - -", "_hash_2 - -", "_length_2 - -", "_shard_2 - -"});
  CHECK(NamesOf({Listed("a", 1), Scalar("a#count")}) == Names{"a a#count -", "a#count_2 - -"});
  CHECK(NamesOf({Scalar("A"), Scalar("a"), Scalar("a_2")}) == Names{"A - -", "a_2 - -", "a_2_2 - -"});
  // SQLite folds only ASCII letters.
  CHECK(NamesOf({Scalar("\xc3\x84"), Scalar("\xc3\xa4")}) == Names{"\xc3\x84 - -", "\xc3\xa4 - -"});
}

TEST_CASE("derived columns take their names before all others, whether or not some record has the feature") {
  ColumnChoice choice;
  choice.derived = Derivations::Of({"a:hash", "b:length"}).value();
  FeatureRow bytes = BytesScalar("a", 3);
  bytes.kinds = kBytesKind;
  FeatureRow hidden = Scalar("A#HASH");
  FeatureRow other = Scalar("b#length");
  std::vector<FeatureRow*> rows = {&hidden, &bytes, &other};
  CHECK(NameColumns(rows, choice) == 0);
  CHECK(ColumnNamesOf(hidden) == Names{"A#HASH_2"});
  CHECK(ColumnNamesOf(bytes) == Names{"a", "a#hash"});
  CHECK(ColumnNamesOf(other) == Names{"b#length_2"});
}

TEST_CASE("names that SQL cannot express are escaped, and hostile names are kept unchanged") {
  CHECK(NamesOf({Scalar(std::string("a\0b", 3))}) == Names{"a\\x00b - -"});
  CHECK(NamesOf({Scalar("\xff\xfe")}) == Names{"\\xff\\xfe - -"});
  CHECK(NamesOf({Scalar("")}) == Names{"_empty - -"});
  for (const std::string name : {"x\"; DROP TABLE shard; --", "rowid", "id", "\xf0\x9f\x98\x80"}) {
    CHECK(NamesOf({Scalar(name)}) == Names{name + " - -"});
  }
}

TEST_CASE("if there are too many features, the first in byte order have columns, and the others are counted") {
  std::vector<FeatureRow> rows;
  for (size_t i = 0; i < kMaxAutoColumns + 7; ++i) rows.push_back(Scalar("f" + std::to_string(1'000'000 + i)));
  std::vector<FeatureRow*> by_name;
  for (FeatureRow& row : rows) by_name.push_back(&row);
  CHECK(NameColumns(by_name, {}) == 7);
  CHECK(rows[kMaxAutoColumns - 1].sql_value == rows[kMaxAutoColumns - 1].name);
  CHECK(rows[kMaxAutoColumns].sql_value.empty());
}

TEST_CASE("features named in addition to the automatic columns have columns even if there are too many features") {
  std::vector<FeatureRow> rows;
  for (size_t i = 0; i < kMaxAutoColumns + 7; ++i) rows.push_back(Scalar("f" + std::to_string(1'000'000 + i)));
  std::vector<FeatureRow*> by_name;
  for (FeatureRow& row : rows) by_name.push_back(&row);
  const ColumnChoice choice{.mode = ColumnChoice::Mode::kAuto, .names = {rows.back().name}};
  CHECK(NameColumns(by_name, choice) == 7);
  CHECK(rows.back().sql_value == rows.back().name);
  CHECK(rows[kMaxAutoColumns - 2].sql_value == rows[kMaxAutoColumns - 2].name);
  CHECK(rows[kMaxAutoColumns - 1].sql_value.empty());
}

}  // namespace
}  // namespace ofindex
