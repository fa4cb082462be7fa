#pragma once

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "index/writing/shard_set_writer.h"

namespace ofindex {

inline std::vector<std::string> ContentOf(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

inline ShardSetRequest Request(const std::string& out, Framing framing) {
  ShardSetRequest request;
  request.out = out;
  request.framing = framing;
  return request;
}

inline ShardSetPlan Plan(const ShardSetRequest& request) {
  Result<ShardSetPlan> plan = PlanShardSet(request);
  REQUIRE_MESSAGE(plan.has_value(), plan.error().message);
  return std::move(*plan);
}

inline ShardSetWriter Begin(const ShardSetPlan& plan, std::vector<uint64_t> records) {
  Result<ShardSetWriter> writer = ShardSetWriter::Begin(plan, std::move(records));
  REQUIRE_MESSAGE(writer.has_value(), writer.error().message);
  return std::move(*writer);
}

inline void WriteSet(const ShardSetRequest& request, const std::vector<const char*>& payloads) {
  ShardSetWriter writer = Begin(Plan(request), std::vector<uint64_t>(payloads.size(), 1));
  for (const char* payload : payloads) REQUIRE(writer.Write(AsBytes(payload)));
  const Result<void> published = writer.Publish();
  REQUIRE_MESSAGE(published.has_value(), published.error().message);
}

inline struct stat StatOf(const std::string& path) {
  struct stat info {};
  REQUIRE(::lstat(path.c_str(), &info) == 0);
  return info;
}

/// Returns a forced request for a set of `shards` at `out`.
inline ShardSetRequest Forced(const std::string& out, uint64_t shards) {
  ShardSetRequest request = Request(out, Framing::kOfRecord);
  request.shards = shards;
  request.force = true;
  return request;
}

}  // namespace ofindex
