#include "query/audit/audit.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "query/audit/confirm_groups.h"
#include "tests/index/built_set.h"
#include "tests/proto/message_bytes.h"

namespace ofindex {
namespace {

using Found = std::vector<std::vector<uint64_t>>;

Found ListOfGroups(const RecordGroups& groups) {
  Found found;
  for (size_t group = 0; group < groups.size(); ++group) {
    const auto records = groups[group];
    found.emplace_back(records.begin(), records.end());
  }
  return found;
}

/// Returns the groups of equal texts among `texts`, by their places; empty texts are in none.
Found EqualPlaces(const std::vector<std::string>& texts) {
  std::map<std::string, std::vector<uint64_t>> places;
  for (size_t i = 0; i < texts.size(); ++i) {
    if (!texts[i].empty()) places[texts[i]].push_back(i);
  }
  Found found;
  for (auto& [text, group] : places) {
    if (group.size() > 1) found.push_back(std::move(group));
  }
  std::sort(found.begin(), found.end());
  return found;
}

/// Returns a message with these values of the feature "name" and one of "other".
std::string NamedMessage(PayloadKind kind, const std::vector<std::string>& names, int other) {
  std::string list;
  for (const std::string& name : names) list += Field(1, name);
  std::string features = Entry("other", Field(1, BytesList({std::to_string(other)})));
  if (!names.empty()) features += Entry("name", Field(1, list));
  return kind == PayloadKind::kOfRecord ? features : Field(1, features);
}

Dataset OpenedSet(const std::string& index) {
  Result<Dataset> dataset = Dataset::Open(index);
  REQUIRE_MESSAGE(dataset, dataset.error().message);
  return std::move(*dataset);
}

AuditReport Audited(AuditRequest request) {
  Progress progress;
  request.threads = 2;
  Result<AuditReport> report = Audit(request, progress);
  REQUIRE_MESSAGE(report, report.error().message);
  return std::move(*report);
}

TEST_CASE("payloads are equal exactly if a map of them says so, with stored hashes, read ones, and a file of them") {
  std::mt19937_64 random(1);
  BuiltSet set;
  std::vector<std::string> payloads;
  for (const char* shard : {"part-0", "part-1", "part-2"}) {
    std::vector<std::string> some;
    for (int i = 0; i < 500; ++i) {
      some.push_back(std::string(random() % 3, 'x') + std::to_string(random() % 400));
    }
    some.back() = "z";  // no empty payload, which the oracle leaves out
    set.Put(shard, ShardBytes(set.framing(), some));
    payloads.insert(payloads.end(), some.begin(), some.end());
  }
  const Found expected = EqualPlaces(payloads);
  for (const bool verified : {false, true}) {
    BuildOptions options = set.Options(verified);
    options.force = true;
    set.Build(options);
    const Dataset dataset = OpenedSet(set.index());
    for (const uint64_t memory : {uint64_t{0}, EntrySorter::kMemoryBytes}) {
      for (const bool trusted : {false, true}) {
        const AuditReport report = Audited(
            {.sets = {{.dataset = &dataset}}, .trust_hashes = trusted, .folder = set.folder(), .memory_bytes = memory});
        CHECK(ListOfGroups(report.groups) == expected);
        CHECK(report.sets[0].compared.records == 1500);
        CHECK(report.sets[0].compared.read == (verified ? 0 : 1500));
        CHECK(report.collisions == 0);
      }
    }
  }
}

TEST_CASE(
    "the hashes of a feature are the same in every format, read or derived, and absent features are equal to none") {
  std::mt19937_64 random(2);
  std::vector<std::string> all;  // what the oracle compares: the values with their sizes
  std::deque<BuiltSet> sets;
  for (const Framing framing : {kTf, kOf, kTf}) {
    const bool derived = sets.size() == 2;
    BuiltSet& set = sets.emplace_back(framing);
    std::vector<std::string> payloads;
    for (int i = 0; i < 300; ++i) {
      std::vector<std::string> names;
      for (uint64_t n = random() % 4; n > 0; --n) names.push_back(std::string(random() % 3, 'n'));
      payloads.push_back(NamedMessage(framing == kOf ? PayloadKind::kOfRecord : PayloadKind::kExample, names, i));
      std::string text;
      for (const std::string& name : names) text += std::to_string(name.size()) + name;
      all.push_back(text);
    }
    set.Put("part-0", ShardBytes(framing, payloads));
    BuildOptions options = set.Options();
    if (derived) {
      Result<Derivations> derivations = Derivations::Of({"name:hash"});
      REQUIRE(derivations);
      options.derive = *derivations;
    }
    set.Build(options);
  }
  std::deque<Dataset> datasets;
  AuditRequest request{.feature = "name"};
  for (const BuiltSet& set : sets) request.sets.push_back({.dataset = &datasets.emplace_back(OpenedSet(set.index()))});
  const AuditReport report = Audited(request);
  CHECK(ListOfGroups(report.groups) == EqualPlaces(all));
  CHECK(report.sets[1].compared.read == 300);
  CHECK(report.sets[2].compared.read == 0);
  const auto without = static_cast<uint64_t>(std::count(all.begin(), all.begin() + 300, std::string()));
  CHECK(report.sets[0].compared.without == without);
}

TEST_CASE("records whose hashes collide are divided by their bytes, however many there are") {
  BuiltSet set;
  std::mt19937_64 random(3);
  std::vector<std::string> payloads;
  for (int i = 0; i < 3000; ++i) payloads.push_back(std::to_string(random() % 2000));
  set.Put("part-0", ShardBytes(set.framing(), payloads));
  set.Build(set.Options());
  const Dataset dataset = OpenedSet(set.index());
  auto bytes = ComparedBytes::Open(dataset, "");
  REQUIRE(bytes);
  RecordNumbers numbers;
  numbers.Add(dataset.size());
  RecordGroups all;
  std::vector<uint64_t> records(payloads.size());
  for (size_t i = 0; i < records.size(); ++i) records[i] = i;
  all.Add(records);
  const auto confirmed = ConfirmGroups(all, numbers, {&*bytes, 1}, 2, {});
  REQUIRE(confirmed);
  Found found = ListOfGroups(confirmed->groups);
  std::sort(found.begin(), found.end());
  CHECK(found == EqualPlaces(payloads));
  CHECK(confirmed->collisions >= 1000);
}

TEST_CASE("labels conflict and parts leak unless they are NULL") {
  BuiltSet set;
  const auto message = [](const char* name, const char* split, std::optional<int64_t> label) {
    std::string features = Entry("name", Field(1, BytesList({name})));
    if (*split != '\0') features += Entry("split", Field(1, BytesList({split})));
    if (label) features += Entry("label", Int64s({*label}));
    return Field(1, features);
  };
  set.Put("part-0", ShardBytes(set.framing(),
                               {message("a", "train", 1), message("b", "train", 1), message("c", "train", 1),
                                message("a", "train", 2), message("b", "val", 1), message("c", "", std::nullopt)}));
  set.Build(set.Options());
  const Dataset dataset = OpenedSet(set.index());
  const AuditReport report =
      Audited({.sets = {{.dataset = &dataset}}, .feature = "name", .label = "label", .split = "split"});
  REQUIRE(ListOfGroups(report.groups) == Found{{0, 3}, {1, 4}, {2, 5}});
  CHECK(report.facts[0].conflict);
  CHECK_FALSE(report.facts[0].leak);
  CHECK_FALSE(report.facts[1].conflict);
  CHECK(report.facts[1].leak);
  CHECK_FALSE(report.facts[2].conflict);
  CHECK_FALSE(report.facts[2].leak);
  CHECK(report.sets[0].leaks == 2);
  CHECK(report.sets[0].repeats == 3);
  const std::vector<RecordVerdict> verdicts = VerdictsOn(report, 0);
  REQUIRE(verdicts.size() == 6);
  CHECK(verdicts[3].ordinal == 3);
  CHECK_FALSE(verdicts[3].first);
  CHECK(verdicts[3].weight() == 0.5);
  CHECK(verdicts[3].conflict);
  CHECK(verdicts[4].leaks == 1);
  CHECK(verdicts[5].leaks == 0);
}

TEST_CASE("views of one dataset are audited like datasets, and a dataset given twice is refused") {
  BuiltSet set;
  set.Put("part-0", ShardBytes(set.framing(), {"a", "b", "a", "c", "b", "a"}));
  set.Build(set.Options(/*verify=*/true));
  const Dataset dataset = OpenedSet(set.index());
  const AuditReport report = Audited({.sets = {{&dataset, View::Range(0, 3)}, {&dataset, View::Range(2, 6)}}});
  // Numbers of the second view continue those of the dataset.
  CHECK(ListOfGroups(report.groups) == Found{{0, 2, 6 + 2, 6 + 5}, {1, 6 + 4}});
  CHECK(report.leaks == 2);
  Progress progress;
  const auto twice = Audit({.sets = {{.dataset = &dataset}, {.dataset = &dataset}}}, progress);
  REQUIRE_FALSE(twice);
  CHECK(twice.error().code == ErrorCode::kUsage);
  progress.cancel = true;
  const auto cancelled = Audit({.sets = {{.dataset = &dataset}}}, progress);
  REQUIRE_FALSE(cancelled);
  CHECK(cancelled.error().code == ErrorCode::kInterrupted);
}

TEST_CASE("a million equal records are one group") {
  BuiltSet set;
  set.Put("part-0", ShardBytes(set.framing(), std::vector<std::string>(1'000'000, "x")));
  set.Build(set.Options());
  const Dataset dataset = OpenedSet(set.index());
  const AuditReport report = Audited({.sets = {{.dataset = &dataset}}});
  REQUIRE(report.groups.size() == 1);
  CHECK(report.groups[0].size() == 1'000'000);
  CHECK(report.sets[0].repeats == 999'999);
}

TEST_CASE("an empty dataset has no groups") {
  BuiltSet set;
  set.Put("part-0", "");
  set.Build(set.Options());
  const Dataset dataset = OpenedSet(set.index());
  CHECK(Audited({.sets = {{.dataset = &dataset}}, .feature = "name"}).groups.size() == 0);
}

// Takes a text of letters for a hash in which each letter is a bit, and refuses other characters.
class LetterHash : public BytesDecoder {
 public:
  Result<void> Decode(ByteView bytes, uint8_t* to) const override {
    std::fill_n(to, SimilarityHash::kBytes, uint8_t{0});
    for (const uint8_t letter : bytes) {
      if (letter < 'a' || letter > 'z') return Fail(ErrorCode::kFeature, "no letter; expected a to z");
      const int bit = letter - 'a';
      to[bit / 8] = static_cast<uint8_t>(to[bit / 8] | 1 << bit % 8);
    }
    return {};
  }

  [[nodiscard]] uint64_t bytes() const override { return SimilarityHash::kBytes; }
};

TEST_CASE("what looks alike is grouped by the caller's hashes, and what has none is counted") {
  const auto message = [](const std::vector<std::string>& names, int64_t label) {
    std::string list;
    for (const std::string& name : names) list += Field(1, name);
    return Field(1, Entry("name", Field(1, list)) + Entry("label", Int64s({label})));
  };
  BuiltSet train;
  train.Put("part-0",
            ShardBytes(train.framing(), {message({"abcd"}, 1), message({"uvw"}, 1), message({"?"}, 1), message({""}, 1),
                                         message({"abc", "uvw"}, 2), message({}, 1), message({"abcdef"}, 1),
                                         "\x0a\x05x", message({"?"}, 2), message({"", "a"}, 1)}));
  train.Build(train.Options());
  BuiltSet val;
  val.Put("part-0", ShardBytes(val.framing(), {message({"xyz"}, 1), message({"uvw"}, 1), message({"!"}, 1)}));
  val.Build(val.Options());
  const Dataset first = OpenedSet(train.index());
  const Dataset second = OpenedSet(val.index());
  const LetterHash letters;
  const AuditReport report = Audited({.sets = {{.dataset = &first}, {.dataset = &second}},
                                      .feature = "name",
                                      .label = "label",
                                      .near = {.decoder = &letters, .distance = 2}});
  // 0 and 4 differ in one letter, 0 and 6 in two, and 4 and 6 in three.
  // 2 and 8 cannot be decoded, and 3 and 9 are plain: their bytes are the same.
  CHECK(ListOfGroups(report.groups) == Found{{0, 4, 6}, {1, 11}, {2, 8}, {3, 9}});
  CHECK(report.distances == std::vector<uint8_t>{1, 1, 2, 0, 0, 0, 0, 0, 0});
  CHECK(report.conflicts == 2);
  CHECK(report.leaks == 1);
  const RecordFacts& facts = report.sets[0].compared;
  CHECK(facts.records == 10);
  CHECK(facts.undecodable == 2);
  CHECK(facts.first_undecodable == 2);
  CHECK(facts.cause == "no letter; expected a to z");
  CHECK(facts.plain == 2);
  CHECK(facts.bad + facts.without == 2);
  CHECK(facts.compared() == 8);
  CHECK(report.sets[1].leaks == 1);
  const std::vector<RecordVerdict> verdicts = VerdictsOn(report, 0);
  REQUIRE(verdicts.size() == 8);
  CHECK(verdicts[5].ordinal == 6);
  CHECK(verdicts[5].distance == 2U);
  CHECK(!RecordVerdict{}.distance);
}

TEST_CASE("a search for what is near without a feature, or too far, is refused") {
  BuiltSet set;
  set.Put("part-0", ShardBytes(set.framing(), {NamedMessage(PayloadKind::kExample, {"a"}, 1)}));
  set.Build(set.Options());
  const Dataset dataset = OpenedSet(set.index());
  const LetterHash letters;
  Progress progress;
  const auto without = Audit({.sets = {{.dataset = &dataset}}, .near = {.decoder = &letters}}, progress);
  REQUIRE(!without);
  CHECK(without.error().message ==
        set.index() + ": whole payloads are not images; expected the name of a feature of images");
  const AuditRequest far{
      .sets = {{.dataset = &dataset}}, .feature = "name", .near = {.decoder = &letters, .distance = 32}};
  const auto refused = Audit(far, progress);
  REQUIRE(!refused);
  CHECK(refused.error().message == "distance 32: expected 0 to 31 bits, by which like images differ");
}

}  // namespace
}  // namespace ofindex
