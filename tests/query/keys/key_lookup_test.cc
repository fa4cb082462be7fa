#include "query/keys/key_lookup.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "index/keys/key_file.h"
#include "index/keys/key_hash.h"
#include "index/keys/key_paths.h"
#include "index/update/updater.h"
#include "mmap/sealed/sealed_writer.h"
#include "query/keys/key_text.h"
#include "tests/query/keys/keyed_set.h"

namespace ofindex {
namespace {

// What the records of a dataset have, by value.
struct KeyOracle {
  std::multimap<std::string, uint64_t> texts;
  std::multimap<int64_t, uint64_t> numbers;
  uint64_t records = 0;
  uint64_t without_text = 0;

  std::string Add(std::vector<std::string> of_texts, std::vector<int64_t> of_numbers) {
    for (const std::string& text : std::set<std::string>(of_texts.begin(), of_texts.end()))
      texts.emplace(text, records);
    for (const int64_t number : std::set<int64_t>(of_numbers.begin(), of_numbers.end())) {
      numbers.emplace(number, records);
    }
    if (of_texts.empty()) ++without_text;
    ++records;
    return KeyedExample(of_texts, of_numbers);
  }

  template <typename Value>
  static std::vector<uint64_t> AllOf(const std::multimap<Value, uint64_t>& map, const Value& value) {
    std::vector<uint64_t> all;
    const auto [begin, end] = map.equal_range(value);
    for (auto at = begin; at != end; ++at) all.push_back(at->second);
    std::sort(all.begin(), all.end());
    return all;
  }
};

template <typename Value>
LookupKey KeyOf(const Value& value) {
  if constexpr (std::is_same_v<Value, std::string>) {
    return LookupKey(AsBytes(value));
  } else {
    return LookupKey(value);
  }
}

// Compares a key with the oracle: for all values that there are, and for `missing`.
template <typename Value>
void CheckKey(const KeyLookup& key, const std::multimap<Value, uint64_t>& map, const std::vector<Value>& missing) {
  std::vector<Value> values = missing;
  for (auto at = map.begin(); at != map.end(); at = map.upper_bound(at->first)) values.push_back(at->first);
  std::vector<LookupKey> keys;
  for (const Value& value : values) keys.push_back(KeyOf(value));
  std::vector<uint64_t> found(keys.size());
  const Result<void> done = key.Find(keys, found);
  REQUIRE_MESSAGE(done, done.error().message);
  for (size_t i = 0; i < values.size(); ++i) {
    const std::vector<uint64_t> all = KeyOracle::AllOf(map, values[i]);
    REQUIRE(found[i] == (all.empty() ? KeyLookup::kMissing : all.front()));
    if (i % 7 == 0) REQUIRE(key.FindAll(keys[i]).value() == all);
  }
}

// Writes shards in which texts are unique, missing or repeated, long and short, and numbers are lists.
KeyOracle PutRandom(BuiltSet& set, uint64_t seed, int records, bool unique) {
  std::mt19937_64 random(seed);
  KeyOracle oracle;
  for (const char* shard : {"part-0", "part-1", "part-2"}) {
    std::vector<std::string> payloads;
    for (int i = 0; i < records; ++i) {
      std::vector<std::string> texts;
      std::vector<int64_t> numbers;
      for (uint64_t n = unique ? 1 : random() % 4; n > 0; --n) {
        const std::string text = unique ? "id-" + std::to_string(oracle.records) : std::to_string(random() % 97);
        texts.push_back(random() % 50 == 0 ? text + std::string(100, 'x') : text);
      }
      for (uint64_t n = random() % 3; n > 0; --n) numbers.push_back(static_cast<int64_t>(random() % 1000) - 500);
      payloads.push_back(oracle.Add(texts, numbers));
    }
    set.Put(shard, ShardBytes(set.framing(), payloads));
  }
  return oracle;
}

const std::vector<std::string> kMissingTexts = {"", "no", "id-", std::string(1000, 'x'), std::string("\0", 1)};
const std::vector<int64_t> kMissingNumbers = {INT64_MIN, INT64_MAX, 500, -501};

TEST_CASE("a key finds the records that have a value, as a multimap does") {
  for (const bool unique : {true, false}) {
    for (const char* columns : {"auto", "none", "name", "name,number"}) {
      BuiltSet set;
      const KeyOracle oracle = PutRandom(set, 3, 400, unique);
      BuildOptions options = set.Options();
      options.columns = *ColumnChoice::Parse(columns);
      set.Build(options);
      const KeyReport report = MadeKey(set.index(), {.name = "name"});
      const std::set<std::string> distinct = [&] {
        std::set<std::string> texts;
        for (const auto& [text, ordinal] : oracle.texts) texts.insert(text);
        return texts;
      }();
      CHECK(report.facts.records == oracle.records);
      CHECK(report.facts.entries == oracle.texts.size());
      CHECK(report.facts.keys == distinct.size());
      CHECK(report.facts.without == oracle.without_text);
      CHECK(report.facts.has_bytes);
      CHECK_FALSE(report.facts.has_integers);
      MadeKey(set.index(), {.name = "number"});
      CheckKey(OpenedKey(set.index(), "name").key(), oracle.texts, kMissingTexts);
      CheckKey(OpenedKey(set.index(), "number").key(), oracle.numbers, kMissingNumbers);
      CheckKey(OpenedKey(set.index(), "name", {.io = IoMode::kPread}).key(), oracle.texts, kMissingTexts);
    }
  }
}

TEST_CASE("a key has the same bytes from the column and from the records, on any threads, sorted in a file or not") {
  BuiltSet set;
  PutRandom(set, 4, 10'000, false);
  BuildOptions options = set.Options();
  options.columns = *ColumnChoice::Parse("none");
  set.Build(options);
  const std::string path = MadeKey(set.index(), {.name = "name"}).path;
  const std::string bytes = ReadFile(path);
  MadeKey(set.index(), {.name = "name", .memory_bytes = 0});
  CHECK(ReadFile(path) == bytes);
  Progress progress;
  REQUIRE(MakeKey(set.index(), {.name = "name", .threads = 1}, progress));
  CHECK(ReadFile(path) == bytes);
  options.columns = *ColumnChoice::Parse("name");
  options.force = true;
  set.Build(options);
  MadeKey(set.index(), {.name = "name"});
  const std::string from_column = ReadFile(path);
  REQUIRE(from_column.size() == bytes.size());
  CHECK(from_column.substr(kSealedHeaderBytes) == bytes.substr(kSealedHeaderBytes));
  for (const std::string& name : FilesIn(set.folder())) CHECK(name.find(".ofindex-") == std::string::npos);
}

TEST_CASE("a value that is too long for a column has a key, in a list too") {
  const std::string longest(65'536, 'a');
  const std::string longer(65'537, 'b');
  for (const char* columns : {"auto", "none", "name"}) {
    CAPTURE(columns);
    BuiltSet set;
    KeyOracle oracle;
    set.Put("part-0", ShardBytes(set.framing(), {oracle.Add({"a", "b"}, {}), oracle.Add({longer}, {}),
                                                 oracle.Add({longer, "c"}, {}), oracle.Add({longest, "d"}, {})}));
    BuildOptions options = set.Options();
    options.columns = *ColumnChoice::Parse(columns);
    set.Build(options);
    CHECK(MadeKey(set.index(), {.name = "name"}).facts.without == 0);
    CheckKey(OpenedKey(set.index(), "name").key(), oracle.texts, kMissingTexts);
  }
}

TEST_CASE("a record with a million values, which are scanned in parts, is found by each") {
  BuiltSet set;
  std::vector<int64_t> numbers(1'100'000);
  std::iota(numbers.begin(), numbers.end(), 1);
  set.Put("part-0", ShardBytes(set.framing(), {KeyedExample({}, {0}), KeyedExample({}, numbers)}));
  BuildOptions options = set.Options();
  options.columns = *ColumnChoice::Parse("none");
  set.Build(options);
  CHECK(MadeKey(set.index(), {.name = "number"}).facts.keys == 1'100'001);
  const OpenedKey opened(set.index(), "number");
  for (const int64_t number : {int64_t{1}, int64_t{1} << 20, (int64_t{1} << 20) + 1, int64_t{1'100'000}}) {
    CHECK(*opened.key().FindAll(number) == std::vector<uint64_t>{1});
  }
}

TEST_CASE("values whose hashes are equal are told apart by reading the records") {
  for (const uint8_t bits : {uint8_t{0}, uint8_t{1}, uint8_t{5}}) {
    BuiltSet set;
    const KeyOracle oracle = PutRandom(set, 5, 60, false);
    set.Build(set.Options());
    MadeKey(set.index(), {.name = "name", .max_hash_bits = bits});
    MadeKey(set.index(), {.name = "number", .max_hash_bits = bits});
    CheckKey(OpenedKey(set.index(), "name").key(), oracle.texts, kMissingTexts);
    CheckKey(OpenedKey(set.index(), "number").key(), oracle.numbers, kMissingNumbers);
  }
}

TEST_CASE("many records with one value are all found, next to others") {
  BuiltSet set;
  KeyOracle oracle;
  std::vector<std::string> payloads;
  for (int i = 0; i < 20'000; ++i) payloads.push_back(oracle.Add({}, {i % 5 == 0 ? i : 3}));
  set.Put("part-0", ShardBytes(set.framing(), payloads));
  set.Build(set.Options());
  const KeyReport report = MadeKey(set.index(), {.name = "number"});
  CHECK(report.facts.repeats() == 15'999);
  const OpenedKey opened(set.index(), "number");
  CHECK(opened.key().FindAll(int64_t{3})->size() == 16'000);
  CheckKey(opened.key(), oracle.numbers, kMissingNumbers);
}

TEST_CASE("the last two records of a bucket are found if they have one value") {
  BuiltSet set;
  KeyOracle oracle;
  set.Put("part-0", ShardBytes(set.framing(), {oracle.Add({}, {7}), oracle.Add({}, {7})}));
  set.Build(set.Options());
  MadeKey(set.index(), {.name = "number"});
  CHECK(OpenedKey(set.index(), "number").key().FindAll(int64_t{7}).value() == std::vector<uint64_t>{0, 1});
}

TEST_CASE("large records that cannot be viewed are compared a few at a time") {
  BuiltSet set;
  std::vector<std::string> payloads;
  const std::string filling = Field(1, Entry("filling", Field(1, Field(1, std::string(size_t{7} << 20, 'x')))));
  for (int i = 0; i < 5; ++i) payloads.push_back(KeyedExample({"name " + std::to_string(i)}, {5}) + filling);
  set.Put("part-0", ShardBytes(set.framing(), payloads));
  set.Build(set.Options());
  MadeKey(set.index(), {.name = "name"});
  MadeKey(set.index(), {.name = "number"});
  ReaderOptions copied;
  copied.io = IoMode::kPread;
  const std::vector<std::string> names = {"name 4", "name 0", "no name", "name 2", "name 1", "name 3"};
  std::vector<LookupKey> keys;
  for (const std::string& name : names) keys.push_back(KeyOf(name));
  std::vector<uint64_t> found(keys.size());
  CHECK(OpenedKey(set.index(), "name", copied).key().Find(keys, found));
  CHECK(found == std::vector<uint64_t>{4, 0, KeyLookup::kMissing, 2, 1, 3});
  CHECK(*OpenedKey(set.index(), "number", copied).key().FindAll(int64_t{5}) == std::vector<uint64_t>{0, 1, 2, 3, 4});
}

TEST_CASE("a lookup can be cancelled, and tells how many records it would compare") {
  BuiltSet set;
  const KeyOracle oracle = PutRandom(set, 8, 200, true);
  set.Build(set.Options());
  MadeKey(set.index(), {.name = "number"});
  const OpenedKey opened(set.index(), "number");
  Progress cancelled;
  cancelled.cancel = true;
  const std::vector<LookupKey> keys = {KeyOf(oracle.numbers.begin()->first)};
  std::vector<uint64_t> found(1);
  CHECK(opened.key().Find(keys, found, cancelled).error().code == ErrorCode::kInterrupted);
  CHECK(opened.key().FindAll(keys[0], cancelled).error().code == ErrorCode::kInterrupted);
  CHECK(opened.key().CountCandidates(keys[0]) == opened.key().FindAll(keys[0])->size());
}

TEST_CASE("a key of the other type is an error that says so") {
  BuiltSet set;
  PutRandom(set, 6, 20, true);
  set.Build(set.Options());
  MadeKey(set.index(), {.name = "name"});
  const OpenedKey opened(set.index(), "name");
  const auto wrong = opened.key().FindAll(int64_t{5});
  REQUIRE_FALSE(wrong);
  CHECK(wrong.error().code == ErrorCode::kUsage);
  CHECK(wrong.error().message ==
        "key 5: the values of feature 'name' are byte strings; expected a byte string, got an integer");
}

TEST_CASE("a key needs a feature that some record has, and that has no floats") {
  BuiltSet set;
  set.Put("part-0", ShardBytes(set.framing(),
                               {Field(1, Entry("score", Field(2, PackedFixed({0.5F})))), KeyedExample({"a"}, {})}));
  for (const char* columns : {"auto", "none"}) {
    BuildOptions options = set.Options();
    options.columns = *ColumnChoice::Parse(columns);
    options.force = true;
    set.Build(options);
    Progress progress;
    for (const char* name : {"score", "nmae"}) {
      const auto made = MakeKey(set.index(), {.name = name, .threads = 1}, progress);
      REQUIRE_FALSE(made);
      CHECK(made.error().code == ErrorCode::kUsage);
      CHECK(made.error().message.find(name) != std::string::npos);
    }
  }
  BuildOptions options = set.Options();
  options.keys = {"name", "nmae"};
  Progress progress;
  options.force = true;
  options.verify = true;  // so that there is something to build
  const auto refused = BuildIndex(options, progress);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().hint.text() == "did you mean 'name'?");
  CHECK(FilesIn(set.folder()) == kBuiltFiles);
}

TEST_CASE("bad records have no keys, and a changed shard is an error") {
  BuiltSet set;
  const std::vector<std::string> payloads = {KeyedExample({"a"}, {}), KeyedExample({"b"}, {}), KeyedExample({"b"}, {})};
  std::string shard = ShardBytes(set.framing(), payloads);
  const size_t at = shard.find('b');
  REQUIRE(at != std::string::npos);
  shard[shard.size() - 1] ^= 1;  // the checksum of the last payload
  set.Put("part-0", shard);
  set.Build(set.Options(/*verify=*/true));
  const KeyReport report = MadeKey(set.index(), {.name = "name"});
  CHECK(report.facts.without == 1);
  const OpenedKey opened(set.index(), "name");
  CHECK(opened.key().FindAll(AsBytes("b")).value() == std::vector<uint64_t>{1});
  TruncateTo(set.Shard("part-0"), shard.size() - 1);
  const OpenedKey truncated(set.index(), "name");
  CHECK(truncated.key().FindAll(AsBytes("b")).error().code == ErrorCode::kStale);
}

TEST_CASE("a key of another build, dataset, generation or feature is refused with what differs and the next command") {
  BuiltSet set;
  PutRandom(set, 7, 20, true);
  set.Build(set.Options());
  const std::string path = MadeKey(set.index(), {.name = "name"}).path;
  const std::string old = ReadFile(path);
  const Error none = OpenedKey(set.index(), "number").error();
  CHECK(none.code == ErrorCode::kNotFound);
  CHECK(none.hint.text() == "make it with `ofindex key " + set.index() + " number`");
  WriteFile(KeyPathOf(set.index(), "number"), old);
  CHECK(OpenedKey(set.index(), "number").error().message.find("a key by feature 'name'; expected one by 'number'") !=
        std::string::npos);
  std::filesystem::remove(KeyPathOf(set.index(), "number"));

  set.Put("part-3", ShardBytes(set.framing(), {KeyedExample({"new"}, {})}));
  Progress progress;
  const auto updated = UpdateIndex({.index = set.index()}, progress);
  REQUIRE_MESSAGE(updated, updated.error().message);
  REQUIRE(updated->written.keys.size() == 1);
  CHECK(OpenedKey(set.index(), "name").key().FindAll(AsBytes("new")).value() == std::vector<uint64_t>{60});
  WriteFile(path, old);
  const Error stale = OpenedKey(set.index(), "name").error();
  CHECK(stale.code == ErrorCode::kStale);
  CHECK(stale.message.find("made for generation 1 of an index; expected generation 2") != std::string::npos);
  CHECK(stale.hint.text() == "make it again with `ofindex key " + set.index() + " name`");
  const auto again = UpdateIndex({.index = set.index()}, progress);  // idle, but the key is stale
  REQUIRE(again);
  CHECK(again->written.was_up_to_date);
  CHECK(OpenedKey(set.index(), "name").key().FindAll(AsBytes("new")).value() == std::vector<uint64_t>{60});

  BuildOptions options = set.Options(/*verify=*/true);
  options.force = true;
  CHECK(set.Build(options).dropped_keys == std::vector<std::string>{"name"});
  CHECK(FilesIn(set.folder()) == kBuiltFiles);
  options.keys = {"name"};
  CHECK(set.Build(options).keys.size() == 1);
  CHECK(set.Build(options).dropped_keys.empty());
  options.force = false;
  const BuildReport kept = set.Build(options);
  CHECK(kept.was_up_to_date);
  CHECK(kept.keys.empty());
  TruncateTo(path, 100);
  CHECK(set.Build(options).keys.size() == 1);
}

TEST_CASE("a key file that is cut, or has a flipped bit in any byte, gives the same candidates or an error") {
  BuiltSet set;
  PutRandom(set, 8, 4, false);
  set.Build(set.Options());
  const std::string path = MadeKey(set.index(), {.name = "name"}).path;
  const std::string whole = ReadFile(path);
  std::vector<uint64_t> hashes;
  for (int i = 0; i < 97; ++i) hashes.push_back(HashOfKey(AsBytes(std::to_string(i))));
  const auto candidates = [&](const std::string& file) -> Result<std::vector<uint64_t>> {
    OFINDEX_ASSIGN(const KeyFile key, KeyFile::OpenAt(file, set.index()));
    std::vector<KeyFile::Candidates> found(hashes.size());
    OFINDEX_TRY(key.Find(hashes, found));
    std::vector<uint64_t> ordinals;
    for (const KeyFile::Candidates& one : found) {
      std::vector<uint64_t> some(one.count);
      OFINDEX_TRY(key.Ordinals(one.first, some));
      ordinals.insert(ordinals.end(), some.begin(), some.end());
    }
    return ordinals;
  };
  const std::vector<uint64_t> right = candidates(path).value();
  REQUIRE(right.size() > 5);
  for (size_t at = 0; at < whole.size(); ++at) {
    WriteFile(path + ".cut" + std::to_string(at), whole.substr(0, at));
    WriteFile(path + ".flip" + std::to_string(at), WithFlippedBit(whole, at, static_cast<int>(at % 8)));
  }
  size_t errors = 0;
  for (size_t at = 0; at < whole.size(); ++at) {
    CHECK(candidates(path + ".cut" + std::to_string(at)).error().code == ErrorCode::kIndex);
    const auto found = candidates(path + ".flip" + std::to_string(at));
    if (found) CHECK(*found == right);
    if (!found) CHECK(found.error().code == ErrorCode::kIndex);
    if (!found) ++errors;
  }
  CHECK(errors == whole.size());
}

// Writes the key file at `path` again, with other numbers in its sections, and correct checksums.
void ForgeKey(const std::string& path, const std::string& index,
              const std::function<void(std::vector<uint64_t>&, std::vector<uint64_t>&)>& change) {
  const SealedKind kind = KeyKind(index, "number");
  std::vector<uint64_t> numbers[2];
  std::vector<uint8_t> facts;
  IndexOrigin origin;
  {
    const SealedFile file = SealedFile::Open(path, kind).value();
    for (const uint32_t section : {kKeyEntries, kKeyDirectory}) {
      numbers[section].resize(file.section_bytes(section) / 8);
      REQUIRE(
          file.Copy(section, 0, {reinterpret_cast<uint8_t*>(numbers[section].data()), numbers[section].size() * 8}));
    }
    facts.resize(file.section_bytes(kKeyFacts));
    REQUIRE(file.Copy(kKeyFacts, 0, facts));
    origin = file.origin();
  }
  change(numbers[kKeyEntries], numbers[kKeyDirectory]);
  SealedWriter writer = SealedWriter::Begin(OutputFile::Create(path).value()).value();
  for (const std::vector<uint64_t>& section : numbers) {
    REQUIRE(writer.BeginSection());
    REQUIRE(writer.Append({reinterpret_cast<const uint8_t*>(section.data()), section.size() * 8}));
  }
  REQUIRE(writer.BeginSection());
  REQUIRE(writer.Append(facts));
  REQUIRE(writer.Finish(kind, origin));
}

TEST_CASE("a key whose entries or directory make no sense is an error, though its checksums are right") {
  BuiltSet set;
  KeyOracle oracle;
  std::vector<std::string> payloads;
  for (int i = 0; i < 20; ++i) payloads.push_back(oracle.Add({}, {i}));
  set.Put("part-0", ShardBytes(set.framing(), payloads));
  set.Build(set.Options());
  const std::string path = MadeKey(set.index(), {.name = "number"}).path;
  const std::string whole = ReadFile(path);
  const auto check = [&]() -> Result<void> {
    OFINDEX_ASSIGN(const KeyFile key, KeyFile::OpenAt(path, set.index()));
    return key.CheckAll();
  };
  const auto find = [&]() -> Result<void> {
    OFINDEX_ASSIGN(const KeyFile key, KeyFile::OpenAt(path, set.index()));
    const std::vector<uint64_t> hashes = {HashOfKey(int64_t{3})};
    std::vector<KeyFile::Candidates> found(1);
    return key.Find(hashes, found);
  };
  ForgeKey(path, set.index(), [](auto&, auto&) {});
  CHECK(ReadFile(path) == whole);
  CHECK(check());

  ForgeKey(path, set.index(), [](auto& entries, auto&) { std::swap(entries[3], entries[11]); });
  CHECK(check().error().message.find("contradict each other") != std::string::npos);

  // The number of an entry that, times 8, wraps to 0.
  ForgeKey(path, set.index(), [](auto&, auto& directory) {
    directory.front() = uint64_t{1} << 61;
    directory.back() = (uint64_t{1} << 61) + 20;
  });
  CHECK(find().error().code == ErrorCode::kIndex);
  CHECK(check().error().code == ErrorCode::kIndex);
}

TEST_CASE("the name of a key file is safe, and no two features share one") {
  CHECK(KeyPathOf("d.ofidx", "image/filename") == "d.ofidx-key-image%2ffilename");
  std::set<std::string> paths;
  const std::vector<std::string> names = {"",
                                          "a",
                                          "A",
                                          "%61",
                                          "a/b",
                                          "a%2fb",
                                          "..",
                                          "a\nb",
                                          std::string("\0", 1),
                                          "é",
                                          std::string(300, '/'),
                                          std::string(300, '/') + "x",
                                          std::string(101, 'a')};
  for (const std::string& name : names) {
    const std::string path = KeyPathOf("d.ofidx", name);
    CHECK(path.size() < 130);
    CHECK(path.find('/') == std::string::npos);
    CHECK(paths.insert(path).second);
  }
  BuiltSet set;
  PutRandom(set, 9, 5, true);
  set.Build(set.Options());
  WriteFile(KeyPathOf(set.index(), "name"), "a file of somebody else's");
  Progress progress;
  const auto refused = MakeKey(set.index(), {.name = "name"}, progress);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == ErrorCode::kUsage);
  CHECK(ReadFile(KeyPathOf(set.index(), "name")) == "a file of somebody else's");
}

TEST_CASE("a key and its value are parsed as they are written") {
  CHECK(ParseKeyText("a=b=c")->name == "a");
  CHECK(ParseKeyText("a=b=c")->value == "b=c");
  CHECK(ParseKeyText("a\\=b=").value().name == "a=b");
  CHECK(ParseKeyText("a\\=b=").value().value.empty());
  CHECK_FALSE(ParseKeyText("a"));
  CHECK(ParseIntegerKey("-5", "n").value() == -5);
  for (const char* text : {"", "5 ", "0x5", "9223372036854775808", "5.0"}) CHECK_FALSE(ParseIntegerKey(text, "n"));
}

}  // namespace
}  // namespace ofindex
