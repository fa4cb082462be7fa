#include "query/dataset.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "index/build/builder.h"
#include "index/catalog/paths.h"
#include "index/output/atomic_file.h"
#include "query/sql/open_session.h"
#include "tests/query/built_dataset.h"
#include "tests/support/files.h"
#include "tests/support/shard_bytes.h"
#include "tests/support/temp_dir.h"

namespace ofindex {
namespace {

namespace fs = std::filesystem;

void CheckReads(const Result<Dataset>& dataset, const std::vector<std::string>& payloads) {
  REQUIRE_MESSAGE(dataset.has_value(), dataset.error().message);
  REQUIRE(dataset->size() == payloads.size());
  std::vector<uint8_t> bytes;
  for (uint64_t i = 0; i < payloads.size(); ++i) {
    REQUIRE(dataset->reader().Copy(i, bytes).has_value());
    CHECK(AsText(bytes) == payloads[i]);
  }
  CHECK(dataset->reader().Copy(payloads.size(), bytes).error().code == ErrorCode::kOutOfRange);
}

TEST_CASE("a dataset returns every payload, whether it is opened by the path of its index or of its data") {
  for (const Framing framing : {Framing::kTfRecord, Framing::kOfRecord}) {
    const BuiltDataset built(framing);
    for (const char* name : {"train", "train/", "train/.", "train.ofidx"}) {
      const Result<Dataset> dataset = Dataset::Open(built / name);
      CheckReads(dataset, built.payloads());
    }
  }
}

TEST_CASE("a dataset that was moved with its index can be opened, and so can a copy at a given root") {
  const BuiltDataset built(Framing::kTfRecord);
  fs::create_directory(built / "elsewhere");
  fs::copy(built / "train", built / "elsewhere/train", fs::copy_options::recursive);
  CheckReads(Dataset::Open(built / "train", {.root = built / "elsewhere"}), built.payloads());
  CheckReads(Dataset::Open(built / "train", {.root = built / "elsewhere/train"}), built.payloads());
  fs::rename(built / "train.ofidx", built / "elsewhere/train.ofidx");
  CheckReads(Dataset::Open(built / "elsewhere/train"), built.payloads());
}

TEST_CASE("opening a dataset without an index is an error") {
  const TempDir dir;
  WriteFile(dir / "train", "data without an index");
  const Result<Dataset> dataset = Dataset::Open(dir / "train");
  REQUIRE(!dataset.has_value());
  CHECK(dataset.error().code == ErrorCode::kNotFound);
  CHECK(dataset.error().hint.text().find("ofindex build") != std::string::npos);
}

TEST_CASE("an empty dataset opens, and has no records") {
  const TempDir dir;
  WriteFile(dir / "empty.tfrecord", "");
  Progress progress;
  BuildOptions options;
  options.data = {dir / "empty.tfrecord"};
  options.format.framing = Framing::kTfRecord;  // an empty file does not show its framing
  REQUIRE(BuildIndex(options, progress).has_value());
  CheckReads(Dataset::Open(dir / "empty.tfrecord"), {});
}

TEST_CASE("a missing shard is reported as stale when it is first used, and not before") {
  const BuiltDataset built(Framing::kTfRecord);
  fs::remove(built / "train/part-1");
  const Result<Dataset> dataset = Dataset::Open(built / "train");
  REQUIRE(dataset.has_value());
  std::vector<uint8_t> bytes;
  CHECK(dataset->reader().Copy(0, bytes).has_value());
  CHECK(dataset->reader().Copy(59, bytes).has_value());
  CHECK(dataset->reader().Copy(20, bytes).error().code == ErrorCode::kStale);
}

TEST_CASE("waiting for another process to build the map can be interrupted") {
  const BuiltDataset built(Framing::kTfRecord);
  const std::string index = built / "train.ofidx";
  fs::remove(MapPathOf(index));
  const auto other = AtomicFile::Begin(MapPathOf(index), AtomicFile::IfLocked::kFail);
  REQUIRE(other);
  Progress progress;
  progress.cancel = true;
  const auto interrupted = [](const auto& result) {
    return !result.has_value() && result.error().code == ErrorCode::kInterrupted;
  };
  CHECK(interrupted(Dataset::Open(index, {}, progress)));
  const auto snapshot = Snapshot::Open(index, {.progress = &progress});
  REQUIRE(snapshot);
  Result<SqlSession> session = OpenSession(**snapshot);
  REQUIRE(session);
  Result<SqlRows> rows = session->Query("SELECT max(_offset) FROM records");
  REQUIRE(rows);
  CHECK(interrupted(rows->Next()));
}

}  // namespace
}  // namespace ofindex
