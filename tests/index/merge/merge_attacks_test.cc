#include <doctest/doctest.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "index/build/index_writer.h"
#include "index/scan/built_block.h"
#include "tests/index/merge/merging.h"
#include "tests/support/files.h"
#include "tests/support/sanitizers.h"

// Inputs that do not fit together, or are not what they were: the merge ends with an error that names them, and the old
// index stays.

namespace ofindex {
namespace {

class Attack {
 public:
  Attack() {
    set.Put("part-0", FiveSegments());
    set.Put("part-1", FiveSegments(2));
    parts = BuildParts(set, PartOptions(set), 4);
    index = set.folder() + "/merged.ofidx";
  }

  BuiltSet set;
  std::vector<std::string> parts;
  std::string index;
};

TEST_CASE("a missing part between others is named") {
  const Attack attack;
  CheckRefused({attack.parts[0], attack.parts[3]}, attack.index, ErrorCode::kUsage, "part 2 of 4 is missing");
  CheckRefused({attack.parts[0], attack.parts[2], attack.parts[3]}, attack.index, ErrorCode::kUsage,
               "part 2 of 4 is missing");
}

TEST_CASE("missing parts at the ends leave a part") {
  const Attack attack;
  const BuildReport report = Merge({attack.parts[2], attack.parts[1]}, attack.index);
  REQUIRE(report.facts.part.has_value());
  CHECK(Describe(*report.facts.part) == "parts 2 to 3 of 4");
  CHECK_FALSE(std::filesystem::exists(MapPathOf(attack.index)));
}

TEST_CASE("a part given twice, also inside a larger one, is refused") {
  const Attack attack;
  CheckRefused({attack.parts[0], attack.parts[1], attack.parts[0]}, attack.index, ErrorCode::kUsage,
               "both have part 1");
  const std::string two = attack.set.folder() + "/two.ofidx";
  Merge({attack.parts[0], attack.parts[1]}, two);
  CheckRefused({attack.parts[1], two, attack.parts[2], attack.parts[3]}, attack.index, ErrorCode::kUsage,
               "both have part 2");
}

TEST_CASE("parts of other options, other numbers and other data are refused") {
  const Attack attack;
  struct Job {
    const char* other;
    bool verify;
    unsigned of;
  };
  for (const Job& job : {Job{"options", true, 4}, Job{"numbers", false, 5}}) {
    CAPTURE(job.other);
    BuildOptions options = PartOptions(attack.set, job.verify);
    options.part = PartChoice{.part = 2, .of = job.of};
    options.index = attack.set.folder() + "/other.ofidx";
    options.force = true;
    attack.set.Build(options);
    CheckRefused({attack.parts[0], options.index}, attack.index, ErrorCode::kUsage, "parts of different jobs");
  }
  BuiltSet other;
  other.Put("part-0", FiveSegments());
  other.Put("part-1", FiveSegments(2) + FiveSegments(3));
  const std::string foreign = BuildPart(other, PartOptions(other), 2, 4);
  CheckRefused({attack.parts[0], foreign}, attack.index, ErrorCode::kUsage, "parts of different jobs");
}

TEST_CASE("parts of another folder, whose files have the same names and sizes, are refused") {
  const Attack attack;
  BuiltSet other;
  other.Put("part-0", FiveSegments());
  other.Put("part-1", FiveSegments(2));
  const std::vector<std::string> foreign = BuildParts(other, PartOptions(other), 4);
  CheckRefused({attack.parts[0], attack.parts[1], foreign[2], foreign[3]}, attack.index, ErrorCode::kUsage,
               "parts of different jobs: built from");
  CheckRefused({foreign[0], attack.parts[1]}, attack.index, ErrorCode::kUsage, "parts of different jobs: built from");
}

TEST_CASE("parts of a shard that was rewritten in between, with the same size, are refused") {
  Attack attack;
  std::string changed = FiveSegments();
  changed[20] ^= 1;
  attack.set.Put("part-0", changed);
  const std::string later = BuildPart(attack.set, PartOptions(attack.set), 2, 4);
  CheckRefused({attack.parts[0], later}, attack.index, ErrorCode::kStale, "the file was not the same");
}

TEST_CASE("parts and whole indexes do not mix, and whole indexes need the same options and different shards") {
  const Attack attack;
  attack.set.Build(PartOptions(attack.set));
  CheckRefused({attack.parts[0], attack.set.index()}, attack.index, ErrorCode::kUsage, "a whole index");
  CheckRefused({attack.set.index(), attack.set.index()}, attack.index, ErrorCode::kUsage, "a shard of both");
  BuildOptions verified = PartOptions(attack.set, true);
  verified.index = attack.set.folder() + "/verified.ofidx";
  attack.set.Build(verified);
  CheckRefused({attack.set.index(), verified.index}, attack.index, ErrorCode::kUsage, "different options");
}

TEST_CASE("an index is never written over one of its inputs, and over another only by force") {
  const Attack attack;
  attack.set.Build(PartOptions(attack.set));
  const std::string before = ReadFile(attack.parts[0]);
  for (const bool force : {false, true}) {
    const auto report = TryMerge(attack.parts, attack.parts[0], force);
    REQUIRE_FALSE(report.has_value());
    CHECK(report.error().code == ErrorCode::kUsage);
    CHECK(ReadFile(attack.parts[0]) == before);
  }
  CHECK_FALSE(TryMerge(attack.parts, attack.set.index()).has_value());
  CHECK(TryMerge(attack.parts, attack.set.index(), true).has_value());
}

TEST_CASE("blocks that overlap in one shard are refused") {
  const TempDir dir;
  WriteFile(dir / "merged.ofidx", "");
  auto writer = IndexWriter::Begin(dir / "merged.ofidx", std::nullopt, ColumnChoice{});
  REQUIRE(writer.has_value());
  const std::vector<uint64_t> boundaries = {100, 120, 140};
  const auto copy = [&](uint64_t begin) {
    std::vector<uint64_t> moved = boundaries;
    for (uint64_t& each : moved) each += begin;
    return writer->CopyBlock(EncodeBlock(0, kTf, 0, moved).row, {}, {}, {});
  };
  ShardRow shard;
  shard.path = "part-0";
  shard.framing = kTf;
  writer->BeginShard(shard);
  CHECK(copy(0).has_value());
  CHECK(copy(40).has_value());
  const auto overlapping = copy(79);
  REQUIRE_FALSE(overlapping.has_value());
  CHECK(overlapping.error().code == ErrorCode::kIndex);
  CHECK(overlapping.error().message.find("part-0@179") != std::string::npos);
  shard.path = "part-1";
  writer->BeginShard(shard);
  CHECK(copy(0).has_value());
}

TEST_CASE("a part of another version, or none at all, is refused") {
  const Attack attack;
  std::string bytes = ReadFile(attack.parts[1]);
  bytes[63] = 3;  // the last byte of user_version
  WriteFile(attack.parts[1], bytes);
  CheckRefused(attack.parts, attack.index, ErrorCode::kIndex, "version");
  WriteFile(attack.parts[1], "not an index");
  CheckRefused(attack.parts, attack.index, ErrorCode::kIndex, "train.part-2-of-4.ofidx");
  std::filesystem::remove(attack.parts[1]);
  CheckRefused(attack.parts, attack.index, ErrorCode::kNotFound, "train.part-2-of-4.ofidx");
}

TEST_CASE("a part cut at any page, or with any page zeroed or changed, is refused or not changed by it") {
  const Attack attack;
  const std::string sound = ReadFile(attack.parts[1]);
  Merge(attack.parts, attack.index);
  const std::string merged = ReadFile(attack.index);
  const std::string again = attack.set.folder() + "/again.ofidx";
  size_t refused = 0;
  const auto try_bytes = [&](const std::string& bytes) {
    WriteFile(attack.parts[1], bytes);
    if (!TryMerge(attack.parts, again, true)) {
      ++refused;
      return;
    }
    CHECK(ReadFile(again) == merged);
  };
  constexpr size_t kPage = 65536;
  for (size_t page = 0; page * kPage < sound.size(); ++page) {
    CAPTURE(page);
    try_bytes(sound.substr(0, page * kPage));
    std::string changed = sound;
    std::fill_n(changed.begin() + static_cast<std::ptrdiff_t>(page * kPage), kPage, '\0');
    try_bytes(changed);
    for (size_t at = page * kPage; at < (page + 1) * kPage; at += 4001 * kCaseStep) {
      changed = sound;
      changed[at] ^= 0x10;
      try_bytes(changed);
    }
  }
  CHECK(refused > sound.size() / kPage);
}

}  // namespace
}  // namespace ofindex
