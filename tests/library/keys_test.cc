#include <doctest/doctest.h>

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <ofindex/build.h>
#include <ofindex/keys.h>

#include "tests/library/example_data.h"
#include "tests/support/files.h"
#include "tests/support/temp_dir.h"

namespace ofindex {
namespace {

// 100 Examples with keys by `word`, which is "even" or "odd", and by `id`.
Dataset OpenKeyed(const std::string& path) {
  WriteExamples(path, 100);
  Must(BuildIndex({.data = {path}, .keys = {"word", "id"}}));
  return Must(Dataset::Open(path));
}

TEST_CASE("a key finds records by bytes and by integers, one or all") {
  const TempDir dir;
  std::optional<Dataset> dataset = OpenKeyed(dir / "data.tfrecord");
  const Key words = Must(Key::Open(*dataset, "word"));
  const Key ids = Must(Key::Open(*dataset, "id"));
  dataset.reset();  // the keys keep it open
  CHECK(words.size() == 2);
  CHECK((words.has_bytes() && !words.has_integers()));
  CHECK((ids.has_integers() && !ids.has_bytes()));

  const std::array<ByteView, 3> texts = {AsBytes("odd"), AsBytes("even"), AsBytes("neither")};
  std::vector<uint64_t> found(3);
  Must(words.Find(texts, found));
  CHECK(found == std::vector<uint64_t>{1, 0, Key::kMissing});
  const std::array<int64_t, 3> numbers = {99, -1, 7};
  Must(ids.Find(numbers, found));
  CHECK(found == std::vector<uint64_t>{99, Key::kMissing, 7});

  const std::vector<uint64_t> odd = Must(words.FindAll(AsBytes("odd")));
  CHECK(odd.size() == 50);
  CHECK(odd.back() == 99);
  CHECK(Must(ids.FindAll(1000)).empty());
}

TEST_CASE("values of another type, a span of another size and a key that is not there are errors") {
  const TempDir dir;
  const Dataset dataset = OpenKeyed(dir / "data.tfrecord");
  const Key ids = Must(Key::Open(dataset, "id"));
  std::vector<uint64_t> found(2);
  const std::array<ByteView, 2> texts = {AsBytes("odd"), AsBytes("even")};
  CHECK(ids.Find(texts, found).error().code == ErrorCode::kUsage);
  const std::array<int64_t, 3> numbers = {1, 2, 3};
  CHECK(ids.Find(numbers, found).error().code == ErrorCode::kUsage);
  CHECK(Key::Open(dataset, "half").error().code == ErrorCode::kNotFound);
  CHECK(MakeKey(dataset, "half").error().code == ErrorCode::kUsage);  // floats
  CHECK(MakeKey(dataset, "nothing").error().code == ErrorCode::kUsage);
  CHECK(BuildIndex({.data = {dir / "data.tfrecord"}, .force = true, .keys = {"nothing"}}).error().code ==
        ErrorCode::kUsage);
}

TEST_CASE("a key can be made for an index that is there, and an open dataset finds it") {
  const TempDir dir;
  const Dataset dataset = OpenExamples(dir / "data.tfrecord", 100);
  REQUIRE_FALSE(Key::Open(dataset, "word"));
  Progress progress;
  Must(MakeKey(dataset, "word", 1, &progress));
  CHECK(Must(Must(Key::Open(dataset, "word")).FindAll(AsBytes("even"))).size() == 50);
  Progress cancelled;
  cancelled.Cancel();
  CHECK(MakeKey(dataset, "id", 1, &cancelled).error().code == ErrorCode::kInterrupted);
  CHECK(Key::Open(dataset, "id").error().code == ErrorCode::kNotFound);
}

TEST_CASE("Verify names a damaged key, and opening a key of another build is an error") {
  const TempDir dir;
  const std::string path = dir / "data.tfrecord";
  const Dataset dataset = OpenKeyed(path);
  CHECK(Must(Verify(dataset)).clean());
  std::vector<std::string> keys;
  for (const auto& entry : std::filesystem::directory_iterator(dir.path())) {
    if (entry.path().string().find("word") != std::string::npos) keys.push_back(entry.path());
  }
  REQUIRE(keys.size() == 1);
  std::string bytes = ReadFile(keys[0]);
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  WriteFile(keys[0], bytes);
  const VerifyReport damaged = Must(Verify(dataset));
  CHECK_FALSE(damaged.clean());
  REQUIRE(damaged.key_damage.size() == 1);
  CHECK(damaged.key_damage[0].find("word") != std::string::npos);

  Must(MakeKey(dataset, "word"));
  CHECK(Must(Verify(dataset)).clean());
  const std::string key = ReadFile(keys[0]);
  std::filesystem::remove(path);
  WriteExamples(path, 101);
  Must(BuildIndex({.data = {path}, .force = true}));
  WriteFile(keys[0], key);
  CHECK(Key::Open(Must(Dataset::Open(path)), "word").error().code == ErrorCode::kStale);
}

}  // namespace
}  // namespace ofindex
