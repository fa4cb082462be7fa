#pragma once

#include <doctest/doctest.h>

#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/progress.h"
#include "index/build/builder.h"
#include "index/build/map_builder.h"
#include "index/catalog/paths.h"
#include "tests/support/files.h"
#include "tests/support/shard_bytes.h"
#include "tests/support/temp_dir.h"

namespace ofindex {

/// A folder "train" of shards in a folder of its own, and its outputs: "train.ofidx" and its map.
class BuiltSet {
 public:
  explicit BuiltSet(Framing framing = Framing::kTfRecord) : framing_(framing) {
    std::filesystem::create_directory(data());
  }

  /// Writes shard `name` with these bytes. Its mtime never changes, so that it does not depend on the time of the test.
  void Put(const std::string& name, const std::string& bytes) {
    WriteFile(Shard(name), bytes);
    SetMtime(Shard(name), int64_t{1'700'000'000} * 1'000'000'000);
  }

  /// Writes three sound shards, one of them empty.
  void PutSome() {
    Put("part-0", ShardBytes(framing_, SomePayloads(40, 60, 1)));
    Put("part-2", "");
    Put("part-10", ShardBytes(framing_, SomePayloads(30, 90, 2)));
  }

  /// Writes TFRecord shards of every kind: several blocks in one, a gap, a torn tail, a bad payload, an empty file.
  void PutAllSorts() {
    PutSome();
    Put("part-1", ShardBytes(framing_, std::vector<std::string>(70'000, "x")));
    std::string shard = ShardBytes(framing_, SomePayloads(20, 40));
    Put("part-3", shard + "gap" + shard);
    Put("part-4", shard.substr(0, shard.size() - 2));
    shard[shard.size() - 1] ^= 1;
    Put("part-5", shard);
  }

  [[nodiscard]] BuildOptions Options(bool verify = false) const {
    BuildOptions options;
    options.data = {data()};
    options.verify = verify;
    options.threads = 2;
    options.format.framing = framing_;
    return options;
  }

  /// Builds, and ends the test if that fails.
  BuildReport Build(const BuildOptions& options) const {
    Progress progress;
    Result<BuildReport> report = BuildIndex(options, progress);
    REQUIRE_MESSAGE(report.has_value(), report.error().message);
    return std::move(*report);
  }

  [[nodiscard]] Framing framing() const { return framing_; }
  [[nodiscard]] std::string data() const { return dir_ / "train"; }
  [[nodiscard]] std::string index() const { return dir_ / "train.ofidx"; }
  [[nodiscard]] std::string map() const { return MapPathOf(index()); }
  [[nodiscard]] std::string Shard(const std::string& name) const { return data() + "/" + name; }
  [[nodiscard]] const std::string& folder() const { return dir_.path(); }

 private:
  const Framing framing_;
  TempDir dir_;
};

/// Returns the map of the index at `path`.
inline Result<OffsetMap> MapOf(const std::string& path, const Progress& progress = {}) {
  OFINDEX_ASSIGN(const std::shared_ptr<const IndexFile> index, IndexFile::Open(path));
  return OpenMap(index, progress);
}

/// Returns the names of the files in a folder.
inline std::set<std::string> FilesIn(const std::string& folder) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) names.insert(entry.path().filename());
  return names;
}

/// All files in a set's folder after a build.
inline const std::set<std::string> kBuiltFiles = {"train", "train.ofidx", "train.ofidx-map"};

}  // namespace ofindex
