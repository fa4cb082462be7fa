// Every cell, row and byte of an index is changed in turn: verify must fail, and every other query must give the right
// answer or an error. OFINDEX_FORGERIES is the number of changes of each kind to try, spread evenly (default: 60; 0:
// all of them, which takes minutes).

#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "tests/index/forgery.h"
#include "tests/query/tables/asked_index.h"

namespace ofindex {
namespace {

size_t Forgeries() {
  const char* const text = std::getenv("OFINDEX_FORGERIES");
  return text == nullptr ? 60 : std::strtoull(text, nullptr, 10);
}

// Returns the elements of `all` to try, spread evenly.
template <typename T>
std::vector<T> Sampled(const std::vector<T>& all) {
  const size_t most = Forgeries();
  if (most == 0 || all.size() <= most) return all;
  std::vector<T> some;
  for (size_t i = 0; i < most; ++i) some.push_back(all[i * all.size() / most]);
  return some;
}

// Runs a test twice: with a built index, and with one that was updated.
bool IsUpdated() {
  bool updated = false;
  SUBCASE("built") {}
  SUBCASE("updated") { updated = true; }
  return updated;
}

TEST_CASE("an index rewritten by SQL without changing a cell still verifies, even with recomputed checksums") {
  const ForgedSet set;
  const Answers right = AskAll(set);
  CHECK(right.at("sql") != kError);
  CHECK(right.at("columns") == "90");
  CHECK(right.at("record 89") == set.payloads()[89]);
  for (const auto& answer : right) CHECK_MESSAGE(answer.second != kError, answer.first);
  REQUIRE(IsVerified(set));
  CHECK_FALSE(Forge(set.index(), {"shard", "UPDATE shard SET shard = shard WHERE 0"}));
  CHECK(IsVerified(set));
  CHECK_FALSE(Forge(set.index(), {"shard", "UPDATE shard SET shard = shard WHERE 0"}, Checksums::kMadeAnew));
  CHECK(IsVerified(set));
  CHECK(AskAll(set) == right);
}

TEST_CASE("an updated index answers for the records that are there") {
  const ForgedSet set(true);
  const Answers right = AskAll(set);
  CHECK(right.at("size") == "94");
  CHECK(right.at("columns") == "62");
  CHECK(right.at("record 0") == kError);
  CHECK(right.at("record 89") == set.payloads()[89]);
  CHECK(right.at("record 91") == kError);
  CHECK(right.at("record 93") == ExampleOf(91));
  CHECK(IsVerified(set));
}

TEST_CASE("an index with any cell or row changed by SQL fails verification, and gives right answers or errors") {
  const ForgedSet set(IsUpdated());
  const Answers right = AskAll(set);
  const std::vector<Forgery> all = AllForgeries(set.index());
  std::map<std::string, int> tried;
  int refused = 0;
  for (const Forgery& forgery : Sampled(all)) {
    CAPTURE(forgery.sql);
    set.Restore();
    if (!Forge(set.index(), forgery)) continue;
    ++tried[forgery.table];
    CHECK_FALSE(IsVerified(set));
    const Answers answers = AskAll(set);
    CHECK(AreRightOrErrors(answers, right));
    if (answers != right) ++refused;
  }
  int changes = 0;
  for (const auto& [table, count] : tried) changes += count;
  CHECK(refused > changes / 2);
  if (Forgeries() == 0) {
    CHECK(tried.size() >= 11);  // all tables that have rows
    for (const auto& [table, count] : tried) MESSAGE(table << ": " << count << " changes");
  }
}

TEST_CASE(
    "an index with any cell changed and its checksums recomputed never hangs, and returns only existing records") {
  const ForgedSet set(IsUpdated());
  int refused = 0;
  int tried = 0;
  for (const Forgery& forgery : Sampled(AllForgeries(set.index()))) {
    CAPTURE(forgery.sql);
    if (forgery.table == "checksum") continue;
    set.Restore();
    if (!Forge(set.index(), forgery, Checksums::kMadeAnew)) continue;
    ++tried;
    IsVerified(set);
    const Answers answers = AskAll(set);
    if (answers.at("facts") == kError || answers.at("columns") == kError) ++refused;
  }
  CHECK(refused > 0);
  if (Forgeries() == 0) MESSAGE(tried << " changes, " << refused << " of them refused when the index is opened");
}

// Returns the checksums of all parts of an index, computed from its rows, as text; empty if a row cannot be read.
std::string Dump(const std::string& index) {
  const auto file = IndexFile::Open(index);
  if (!file) return {};
  Result<sqlite::Database> database = sqlite::Database::OpenImmutable(*file);
  if (!database) return {};
  Result<FoundSums> sums = SumRows(*database, true);
  Result<StoredSums> stored = ReadSums(*database);
  if (!sums || !stored || !sums->wrong_row.empty()) return {};
  std::string text = stored->top;
  for (const auto& [part, sum] : sums->parts) text += StrCat(part, " ", sum.rows, " ", ToHex(sum.sum), "\n");
  return text;
}

// Returns the positions of all bytes outside runs of zeros, and of some zeros.
std::vector<size_t> BytesToFlip(const std::string& file) {
  std::vector<size_t> places;
  for (size_t at = 0; at < file.size(); ++at) {
    if (file[at] != '\0' || (at > 0 && file[at - 1] != '\0') || at % 65536 < 16 || at % 4099 == 0) places.push_back(at);
  }
  return places;
}

// Returns byte `at` with its lowest bit, its highest bit or all bits flipped, depending on `at`.
std::string Changed(const std::string& file, size_t at) {
  constexpr std::string_view kFlips = "\x01\x80\xff";
  return {static_cast<char>(file[at] ^ kFlips[at % kFlips.size()])};
}

TEST_CASE("an index with any byte changed fails verification, unless every row is unchanged") {
  const ForgedSet set(IsUpdated());
  const Answers right = AskAll(set);
  const std::string dump = Dump(set.index());
  const std::vector<size_t> places = BytesToFlip(set.index_bytes());
  int refused = 0;
  for (const size_t at : Sampled(places)) {
    CAPTURE(at);
    OverwriteAt(set.index(), at, Changed(set.index_bytes(), at));
    if (IsVerified(set)) {
      CHECK(Dump(set.index()) == dump);
    } else {
      ++refused;
    }
    CHECK(AreRightOrErrors(AskAll(set), right));
    OverwriteAt(set.index(), at, set.index_bytes().substr(at, 1));
    if (at < 2 * kPageBytes) WriteFile(set.map(), set.map_bytes());
  }
  CHECK(refused > 0);
  if (Forgeries() == 0) MESSAGE(places.size() << " bytes, " << refused << " refused by verify");
}

TEST_CASE("a map with any byte changed is rebuilt, or gives the right records or errors") {
  const ForgedSet set(IsUpdated());
  const Answers right = AskAll(set);
  std::vector<size_t> places(set.map_bytes().size());
  for (size_t at = 0; at < places.size(); ++at) places[at] = at;
  int errors = 0;
  for (const size_t at : Sampled(places)) {
    CAPTURE(at);
    std::string bytes = set.map_bytes();
    bytes.replace(at, 1, Changed(bytes, at));
    ReplaceFile(set.map(), bytes);
    Answers answers;
    ::alarm(kDeadlineSeconds);
    AskRecords(set, answers);
    AskColumns(set, answers);
    ::alarm(0);
    CHECK(AreRightOrErrors(answers, right));
    if (std::any_of(answers.begin(), answers.end(), [](const auto& one) { return one.second == kError; })) ++errors;
  }
  if (Forgeries() == 0) MESSAGE(places.size() << " bytes, " << errors << " of them noticed when they were used");
}

}  // namespace
}  // namespace ofindex
