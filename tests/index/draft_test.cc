#include "index/draft.h"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "base/file.h"
#include "tests/support/files.h"
#include "tests/support/temp_dir.h"

namespace ofindex {
namespace {

namespace fs = std::filesystem;
using IfLocked = Draft::IfLocked;

Draft Begin(const std::string& target) {
  Result<Draft> draft = Draft::Begin(target, IfLocked::kFail);
  REQUIRE_MESSAGE(draft.has_value(), draft.error().message);
  return std::move(*draft);
}

size_t FilesIn(const TempDir& dir) {
  return static_cast<size_t>(std::distance(fs::directory_iterator(dir.path()), fs::directory_iterator()));
}

TEST_CASE("a name with a NUL is refused: cut there, it would be that of another file") {
  const TempDir dir;
  WriteFile(dir / "index", "old");
  const Result<Draft> draft = Draft::Begin((dir / "index") + std::string("\0x", 2), IfLocked::kFail);
  REQUIRE(!draft.has_value());
  CHECK(draft.error().code == ErrorCode::kUsage);
  CHECK(ReadFile(dir / "index") == "old");
  CHECK(FilesIn(dir) == 1);
}

TEST_CASE("a draft that is published takes the place of its target, and nothing else is left") {
  const TempDir dir;
  for (const auto durability : {Draft::Durability::kDurable, Draft::Durability::kCached}) {
    WriteFile(dir / "index", "old");
    {
      Draft draft = Begin(dir / "index");
      WriteFile(draft.path(), "new");
      CHECK(ReadFile(dir / "index") == "old");
      CHECK(!draft.waited());
      REQUIRE(draft.Publish(durability).has_value());
      CHECK(ReadFile(dir / "index") == "new");
    }
    CHECK(ReadFile(dir / "index") == "new");
    CHECK(FilesIn(dir) == 1);
  }
}

TEST_CASE("a draft that is given up leaves the target, and nothing beside it") {
  const TempDir dir;
  WriteFile(dir / "index", "old");
  {
    const Draft draft = Begin(dir / "index");
    WriteFile(draft.path(), "half");
  }
  CHECK(ReadFile(dir / "index") == "old");
  CHECK(FilesIn(dir) == 1);
}

TEST_CASE("whoever has the old file open keeps it") {
  const TempDir dir;
  WriteFile(dir / "index", "old");
  const Result<File> reader = File::OpenRead(dir / "index");
  REQUIRE(reader.has_value());
  Draft draft = Begin(dir / "index");
  WriteFile(draft.path(), "something else");
  REQUIRE(draft.Publish(Draft::Durability::kCached).has_value());
  std::string bytes(3, ' ');
  REQUIRE(reader->ReadAt(0, std::span(reinterpret_cast<uint8_t*>(bytes.data()), 3)).has_value());
  CHECK(bytes == "old");
  CHECK(reader->Facts()->size == 3);
}

TEST_CASE("the second builder of a target is told that it is locked, until the first one is done") {
  const TempDir dir;
  {
    const Draft first = Begin(dir / "index");
    const Result<Draft> second = Draft::Begin(dir / "index", IfLocked::kFail);
    REQUIRE(!second.has_value());
    CHECK(second.error().code == ErrorCode::kLocked);
    CHECK(!second.error().hint.empty());
    // Other targets are free.
    static_cast<void>(Begin(dir / "other"));
    // And the lock is not in the way of what it guards.
    CHECK(fs::exists(first.path()));
  }
  static_cast<void>(Begin(dir / "index"));
}

TEST_CASE("waiting for a lock can be interrupted") {
  const TempDir dir;
  const Draft first = Begin(dir / "index");
  Progress progress;
  progress.cancel = true;
  const Result<Draft> second = Draft::Begin(dir / "index", IfLocked::kWait, &progress);
  REQUIRE(!second.has_value());
  CHECK(second.error().code == ErrorCode::kInterrupted);
}

TEST_CASE("a draft that a killed process has left is emptied and taken over") {
  const TempDir dir;
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    auto draft = Draft::Begin(dir / "index", IfLocked::kFail);
    if (draft) WriteFile(draft->path(), "half of a file");
    ::_exit(draft ? 0 : 1);  // without the destructor: as if killed
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE(status == 0);
  CHECK(FilesIn(dir) == 1);
  const Draft draft = Begin(dir / "index");
  CHECK(ReadFile(draft.path()).empty());
  CHECK(!draft.waited());
}

TEST_CASE("a leftover is removed, and a draft at work is not") {
  const TempDir dir;
  Draft::RemoveLeftover(dir / "index");
  CHECK(FilesIn(dir) == 0);
  const std::string path = Begin(dir / "index").path();
  WriteFile(path, "left");
  Draft::RemoveLeftover(dir / "index");
  CHECK(FilesIn(dir) == 0);
  const Draft draft = Begin(dir / "index");
  WriteFile(draft.path(), "at work");
  Draft::RemoveLeftover(dir / "index");
  CHECK(ReadFile(draft.path()) == "at work");
}

TEST_CASE("a draft follows no link, so that nobody else's file is emptied") {
  const TempDir dir;
  const std::string path = Begin(dir / "index").path();
  WriteFile(dir / "precious", "bytes");
  fs::create_symlink(dir / "precious", path);
  const Result<Draft> draft = Draft::Begin(dir / "index", IfLocked::kFail);
  REQUIRE(!draft.has_value());
  CHECK(draft.error().code == ErrorCode::kIo);
  CHECK(ReadFile(dir / "precious") == "bytes");
}

TEST_CASE("a folder that is not there is an error of the system, and a target that is one is a wrong name") {
  const TempDir dir;
  CHECK(Draft::Begin(dir / "none/index", IfLocked::kFail).error().code == ErrorCode::kIo);
  fs::create_directory(dir / "index");
  CHECK(Draft::Begin(dir / "index", IfLocked::kFail).error().code == ErrorCode::kUsage);
  CHECK(FilesIn(dir) == 1);
}

TEST_CASE("a draft that cannot be published is an error, and is removed") {
  const TempDir dir;
  {
    Draft draft = Begin(dir / "index");
    fs::create_directory(dir / "index");
    CHECK(draft.Publish(Draft::Durability::kDurable).error().code == ErrorCode::kIo);
  }
  CHECK(FilesIn(dir) == 1);
}

TEST_CASE("a draft can be moved, and is removed once") {
  const TempDir dir;
  Draft first = Begin(dir / "index");
  Draft second = std::move(first);
  CHECK(fs::exists(second.path()));
  Draft third = Begin(dir / "other");
  third = std::move(second);
  CHECK(third.path() == (dir / "index") + ".draft");
  CHECK(fs::exists(third.path()));
}

}  // namespace
}  // namespace ofindex
