#pragma once

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "index/merge/merger.h"
#include "tests/index/built_set.h"

namespace ofindex {

/// Segments of shards in the tests: small, so that a few KiB are divided.
inline constexpr uint64_t kTestSegmentBytes = 2048;

/// Returns a TFRecord shard of five segments: 10 KB of records of about 40 bytes.
inline std::string FiveSegments(uint64_t seed = 1) { return ShardBytes(kTf, SomePayloads(250, 50, seed)); }

inline Result<BuildReport> TryMerge(const std::vector<std::string>& inputs, const std::string& index,
                                    bool force = false) {
  Progress progress;
  MergeOptions options{.inputs = inputs, .index = index, .force = force, .threads = 1};
  options.durability = AtomicFile::Durability::kCached;
  options.segment_bytes = kTestSegmentBytes;
  options.columns_optional = true;
  return MergeIndexes(options, progress);
}

/// Merges, and ends the test if that fails.
inline BuildReport Merge(const std::vector<std::string>& inputs, const std::string& index) {
  Result<BuildReport> report = TryMerge(inputs, index);
  REQUIRE_MESSAGE(report.has_value(), report.error().message);
  return std::move(*report);
}

/// Expects the merge to fail with this code and a message that contains `text`, and to leave no file.
inline void CheckRefused(const std::vector<std::string>& inputs, const std::string& index, ErrorCode code,
                         const std::string& text) {
  const auto before = FilesIn(FolderOf(index));
  const auto report = TryMerge(inputs, index);
  REQUIRE_FALSE(report.has_value());
  CAPTURE(report.error().message);
  CHECK(report.error().code == code);
  CHECK(report.error().message.find(text) != std::string::npos);
  CHECK_FALSE(report.error().hint.empty());
  CHECK(FilesIn(FolderOf(index)) == before);
}

/// Returns the options of `set` with small segments, and without syncing files.
inline BuildOptions PartOptions(const BuiltSet& set, bool verify = false) {
  BuildOptions options = set.Options(verify);
  options.segment_bytes = kTestSegmentBytes;
  options.durability = AtomicFile::Durability::kCached;
  return options;
}

/// Builds part `part` of `of` next to the index of `set`, and returns its path.
inline std::string BuildPart(const BuiltSet& set, BuildOptions options, uint32_t part, uint32_t of) {
  options.part = PartChoice{.part = part, .of = of};
  options.index = PartPathOf(set.index(), *options.part);
  options.force = true;
  set.Build(options);
  return options.index;
}

/// Builds all parts, and returns their paths in order.
inline std::vector<std::string> BuildParts(const BuiltSet& set, const BuildOptions& options, uint32_t of) {
  std::vector<std::string> parts;
  for (uint32_t part = 1; part <= of; ++part) parts.push_back(BuildPart(set, options, part, of));
  return parts;
}

}  // namespace ofindex
