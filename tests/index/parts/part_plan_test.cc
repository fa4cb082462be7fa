#include "index/parts/part_plan.h"

#include <doctest/doctest.h>

#include <random>
#include <string>
#include <vector>

#include "tests/support/files.h"
#include "tests/support/temp_dir.h"

namespace ofindex {
namespace {

constexpr uint64_t kPartSegment = 100;

ShardSet FilesOf(const TempDir& dir, const std::vector<uint64_t>& sizes) {
  ShardSet set;
  for (size_t i = 0; i < sizes.size(); ++i) {
    const std::string path = dir / ("part-" + std::to_string(i));
    WriteFile(path, std::string(sizes[i], 'x'));
    set.candidates.push_back({.path = path, .stored_path = "train/part-" + std::to_string(i)});
  }
  return set;
}

TEST_CASE("a part is K of N") {
  for (const char* text : {"1/1", "1/8", "8/8", "999999/1000000"}) {
    CAPTURE(text);
    const auto choice = PartChoice::Parse(text);
    REQUIRE(choice.has_value());
    CHECK(std::to_string(choice->part) + "/" + std::to_string(choice->of) == text);
  }
  for (const char* text :
       {"", "1", "/", "1/", "/1", "0/3", "4/3", "-1/3", "1/3x", " 1/3", "1/1000001", "1/2/3", "1.0/2"}) {
    CAPTURE(text);
    const auto choice = PartChoice::Parse(text);
    REQUIRE_FALSE(choice.has_value());
    CHECK(choice.error().code == ErrorCode::kUsage);
    CHECK(choice.error().message.find("expected K/N") != std::string::npos);
  }
}

TEST_CASE("the parts of a job have every byte of every file once, in order, and about the same number of bytes") {
  std::mt19937_64 random(1);
  for (int round = 0; round < 100; ++round) {
    const TempDir dir;
    std::vector<uint64_t> sizes;
    for (uint64_t n = 1 + random() % 6; n > 0; --n) sizes.push_back(random() % 3 == 0 ? 0 : random() % 2000);
    const ShardSet set = FilesOf(dir, sizes);
    const auto of = static_cast<uint32_t>(1 + random() % 12);
    uint64_t total = 0;
    for (const uint64_t size : sizes) total += size;
    std::vector<uint64_t> taken(sizes.size(), 0);
    std::vector<size_t> times(sizes.size(), 0);
    for (uint32_t part = 1; part <= of; ++part) {
      uint64_t bytes = 0;
      const PartPlan plan = *PlanPart(set, {.part = part, .of = of}, {}, kPartSegment);
      for (size_t i = 0; i < sizes.size(); ++i) {
        if (!plan.ranges[i]) continue;
        CHECK(plan.ranges[i]->begin == taken[i]);
        CHECK(plan.ranges[i]->begin % kPartSegment == 0);
        taken[i] = std::min(plan.ranges[i]->end, sizes[i]);
        bytes += taken[i] - plan.ranges[i]->begin;
        ++times[i];
        CHECK((plan.ranges[i]->end == kNowhere) == (taken[i] == sizes[i]));
      }
      CHECK(bytes <= total / of + 1 + kPartSegment);
    }
    CHECK(taken == sizes);
    for (const size_t count : times) CHECK(count >= 1);
  }
}

TEST_CASE("the parts of a job know each other, and no others") {
  const TempDir dir;
  const ShardSet set = FilesOf(dir, {1000, 2000});
  const std::vector<std::string> options = {"auto"};
  const Digest128 job = PlanPart(set, {.part = 1, .of = 4}, options)->job;
  CHECK(PlanPart(set, {.part = 4, .of = 4}, options)->job == job);
  CHECK(PlanPart(set, {.part = 1, .of = 5}, options)->job != job);
  CHECK(PlanPart(set, {.part = 1, .of = 4}, std::vector<std::string>{"none"})->job != job);
  CHECK(PlanPart(FilesOf(dir, {1000, 2001}), {.part = 1, .of = 4}, options)->job != job);
  // Where the index lies does not matter.
  ShardSet moved = FilesOf(dir, {1000, 2000});
  for (Candidate& file : moved.candidates) file.stored_path = "../" + file.stored_path;
  CHECK(PlanPart(moved, {.part = 1, .of = 4}, options)->job == job);
}

TEST_CASE("a part is named after its index") {
  CHECK(PartPathOf("a/train.ofidx", {.part = 2, .of = 8}) == "a/train.part-2-of-8.ofidx");
  CHECK(PartPathOf("index", {.part = 1, .of = 1}) == "index.part-1-of-1.ofidx");
}

}  // namespace
}  // namespace ofindex
