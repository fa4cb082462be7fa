#pragma once

#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "index/build/builder.h"
#include "tests/support/files.h"
#include "tests/support/shard_bytes.h"
#include "tests/support/temp_dir.h"

namespace ofindex {

/// A folder "train" of three shards, and its index.
class BuiltDataset {
 public:
  explicit BuiltDataset(Framing framing) {
    std::filesystem::create_directory(dir_ / "train");
    for (const char* name : {"part-0", "part-1", "part-2"}) {
      std::vector<std::string> payloads = SomePayloads(20, 50, payloads_.size() + 1);
      payloads[0] = name;
      WriteFile(dir_ / "train/" + name, ShardBytes(framing, payloads));
      payloads_.insert(payloads_.end(), payloads.begin(), payloads.end());
    }
    Progress progress;
    BuildOptions options;
    options.data = {dir_ / "train"};
    options.format.framing = framing;
    options.threads = 2;
    const Result<BuildReport> report = BuildIndex(options, progress);
    REQUIRE_MESSAGE(report.has_value(), report.error().message);
  }

  [[nodiscard]] const std::vector<std::string>& payloads() const { return payloads_; }
  [[nodiscard]] std::string operator/(const std::string& name) const { return dir_ / name; }

 private:
  TempDir dir_;
  std::vector<std::string> payloads_;
};

}  // namespace ofindex
