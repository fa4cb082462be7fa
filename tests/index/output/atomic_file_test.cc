#include "index/output/atomic_file.h"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <string>

#include "base/file.h"
#include "tests/support/files.h"
#include "tests/support/temp_dir.h"

namespace ofindex {
namespace {

namespace fs = std::filesystem;
using IfLocked = AtomicFile::IfLocked;

AtomicFile BeginFile(const std::string& target) {
  Result<AtomicFile> temporary = AtomicFile::Begin(target, IfLocked::kFail);
  REQUIRE_MESSAGE(temporary.has_value(), temporary.error().message);
  return std::move(*temporary);
}

size_t CountFiles(const TempDir& dir) {
  return static_cast<size_t>(std::distance(fs::directory_iterator(dir.path()), fs::directory_iterator()));
}

TEST_CASE("a path that contains a NUL is refused, because the system would truncate it there") {
  const TempDir dir;
  WriteFile(dir / "index", "old");
  const Result<AtomicFile> temporary = AtomicFile::Begin((dir / "index") + std::string("\0x", 2), IfLocked::kFail);
  REQUIRE(!temporary.has_value());
  CHECK(temporary.error().code == ErrorCode::kUsage);
  CHECK(ReadFile(dir / "index") == "old");
  CHECK(CountFiles(dir) == 1);
}

TEST_CASE("publishing replaces the target and leaves nothing else") {
  const TempDir dir;
  for (const auto durability : {AtomicFile::Durability::kDurable, AtomicFile::Durability::kCached}) {
    WriteFile(dir / "index", "old");
    {
      AtomicFile temporary = BeginFile(dir / "index");
      WriteFile(temporary.path(), "new");
      CHECK(ReadFile(dir / "index") == "old");
      CHECK(!temporary.waited());
      REQUIRE(temporary.Publish(durability).has_value());
      CHECK(ReadFile(dir / "index") == "new");
    }
    CHECK(ReadFile(dir / "index") == "new");
    CHECK(CountFiles(dir) == 1);
  }
}

TEST_CASE("another file put at the target before publishing is kept, and the temporary file is removed") {
  for (const bool was_there : {false, true}) {
    const TempDir dir;
    if (was_there) WriteFile(dir / "index", "old");
    {
      AtomicFile temporary = BeginFile(dir / "index");
      WriteFile(temporary.path(), "new");
      ReplaceFile(dir / "index", "another's");
      const Result<void> published = temporary.Publish(AtomicFile::Durability::kCached);
      REQUIRE(!published.has_value());
      CHECK(published.error().code == ErrorCode::kIo);
      CHECK(published.error().message.find("index: another file was put there") != std::string::npos);
    }
    CHECK(ReadFile(dir / "index") == "another's");
    CHECK(CountFiles(dir) == 1);
  }
}

TEST_CASE("a target that is removed or written in place before publishing is replaced") {
  const TempDir dir;
  for (const bool goes : {true, false}) {
    WriteFile(dir / "index", "old");
    AtomicFile temporary = BeginFile(dir / "index");
    WriteFile(temporary.path(), "new");
    if (goes) {
      fs::remove(dir / "index");
    } else {
      WriteFile(dir / "index", "older");
    }
    REQUIRE(temporary.Publish(AtomicFile::Durability::kCached).has_value());
    CHECK(ReadFile(dir / "index") == "new");
  }
}

TEST_CASE("an abandoned temporary file is removed, and the target is unchanged") {
  const TempDir dir;
  WriteFile(dir / "index", "old");
  {
    const AtomicFile temporary = BeginFile(dir / "index");
    WriteFile(temporary.path(), "half");
  }
  CHECK(ReadFile(dir / "index") == "old");
  CHECK(CountFiles(dir) == 1);
}

TEST_CASE("readers that have the old file open continue to read it") {
  const TempDir dir;
  WriteFile(dir / "index", "old");
  const Result<File> reader = File::OpenRead(dir / "index");
  REQUIRE(reader.has_value());
  AtomicFile temporary = BeginFile(dir / "index");
  WriteFile(temporary.path(), "something else");
  REQUIRE(temporary.Publish(AtomicFile::Durability::kCached).has_value());
  std::string bytes(3, ' ');
  REQUIRE(reader->ReadAt(0, std::span(reinterpret_cast<uint8_t*>(bytes.data()), 3)).has_value());
  CHECK(bytes == "old");
  CHECK(reader->Facts()->size == 3);
}

TEST_CASE("a second builder of a target gets a locked error until the first one is done") {
  const TempDir dir;
  {
    const AtomicFile first = BeginFile(dir / "index");
    const Result<AtomicFile> second = AtomicFile::Begin(dir / "index", IfLocked::kFail);
    REQUIRE(!second.has_value());
    CHECK(second.error().code == ErrorCode::kLocked);
    CHECK(!second.error().hint.empty());
    // Other targets are free.
    static_cast<void>(BeginFile(dir / "other"));
    // The lock does not block access to the file it protects.
    CHECK(fs::exists(first.path()));
  }
  static_cast<void>(BeginFile(dir / "index"));
}

TEST_CASE("waiting for a lock can be interrupted") {
  const TempDir dir;
  const AtomicFile first = BeginFile(dir / "index");
  Progress progress;
  progress.cancel = true;
  const Result<AtomicFile> second = AtomicFile::Begin(dir / "index", IfLocked::kWait, &progress);
  REQUIRE(!second.has_value());
  CHECK(second.error().code == ErrorCode::kInterrupted);
}

TEST_CASE("a temporary file left by a killed process is replaced by an empty one") {
  const TempDir dir;
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    auto temporary = AtomicFile::Begin(dir / "index", IfLocked::kFail);
    if (temporary) WriteFile(temporary->path(), "half of a file");
    ::_exit(temporary ? 0 : 1);  // without the destructor: as if killed
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE(status == 0);
  CHECK(CountFiles(dir) == 1);
  const AtomicFile temporary = BeginFile(dir / "index");
  CHECK(ReadFile(temporary.path()).empty());
  CHECK(!temporary.waited());
}

TEST_CASE("a leftover is removed, and a temporary file in use is kept") {
  const TempDir dir;
  AtomicFile::RemoveLeftover(dir / "index");
  CHECK(CountFiles(dir) == 0);
  const std::string path = BeginFile(dir / "index").path();
  WriteFile(path, "left");
  AtomicFile::RemoveLeftover(dir / "index");
  CHECK(CountFiles(dir) == 0);
  const AtomicFile temporary = BeginFile(dir / "index");
  WriteFile(temporary.path(), "at work");
  AtomicFile::RemoveLeftover(dir / "index");
  CHECK(ReadFile(temporary.path()) == "at work");
}

TEST_CASE("a link at the temporary file's name is not followed, so that no other file is truncated") {
  const TempDir dir;
  const std::string path = BeginFile(dir / "index").path();
  WriteFile(dir / "precious", "bytes");
  fs::create_symlink(dir / "precious", path);
  const Result<AtomicFile> temporary = AtomicFile::Begin(dir / "index", IfLocked::kFail);
  REQUIRE(!temporary.has_value());
  CHECK(temporary.error().code == ErrorCode::kIo);
  CHECK(ReadFile(dir / "precious") == "bytes");
}

struct stat StatOf(const std::string& path) {
  struct stat info {};
  REQUIRE(::lstat(path.c_str(), &info) == 0);
  return info;
}

// Runs `check` as another user, if the test has the rights; returns its result, or true.
template <typename Check>
bool AsNobody(const Check& check) {
  constexpr uid_t kNobody = 65534;
  if (::geteuid() != 0) return true;
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) ::_exit(::setgid(kNobody) == 0 && ::setuid(kNobody) == 0 && check() ? 0 : 1);
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  return status == 0;
}

TEST_CASE("a file at the temporary name is never written to: it is removed if it can be a leftover, otherwise kept") {
  struct Case {
    const char* what;
    std::function<void(const TempDir&, const std::string&)> put;
    bool is_left;
  };
  const Case cases[] = {
      {"a leftover", [](const TempDir&, const std::string& path) { WriteFile(path, "left"); }, true},
      {"a leftover that anyone may write to",
       [](const TempDir&, const std::string& path) {
         WriteFile(path, "left");
         REQUIRE(::chmod(path.c_str(), 0666) == 0);
       },
       true},
      {"a link", [](const TempDir& dir, const std::string& path) { fs::create_symlink(dir / "precious", path); },
       false},
      {"a link that leads nowhere",
       [](const TempDir& dir, const std::string& path) { fs::create_symlink(dir / "none", path); }, false},
      {"a second name",
       [](const TempDir& dir, const std::string& path) { fs::create_hard_link(dir / "precious", path); }, false},
      {"a folder", [](const TempDir&, const std::string& path) { fs::create_directory(path); }, false},
      {"a FIFO", [](const TempDir&, const std::string& path) { REQUIRE(::mkfifo(path.c_str(), 0600) == 0); }, false},
  };
  for (const Case& one : cases) {
    CAPTURE(one.what);
    const TempDir dir;
    WriteFile(dir / "precious", "bytes");
    const std::string path = (dir / "index") + std::string(kTemporarySuffix);
    one.put(dir, path);
    // The inode is kept open, so that no new file gets its number.
    const Result<File> held = File::OpenRead(path);
    const struct stat before = StatOf(path);
    {
      const Result<AtomicFile> temporary = AtomicFile::Begin(dir / "index", IfLocked::kFail);
      CHECK(temporary.has_value() == one.is_left);
      if (!temporary) CHECK(temporary.error().code == ErrorCode::kIo);
      CHECK((StatOf(path).st_ino == before.st_ino) == !one.is_left);
      if (temporary) CHECK(StatOf(path).st_uid == ::geteuid());
    }
    CHECK(ReadFile(dir / "precious") == "bytes");
    CHECK(!fs::exists(dir / "none"));
    CHECK(!fs::exists(dir / "index"));
  }
}

TEST_CASE("another user's file at the temporary name never becomes an index") {
  const TempDir dir;
  REQUIRE(::chmod(dir.path().c_str(), 0777) == 0);
  const std::string path = (dir / "index") + std::string(kTemporarySuffix);
  WriteFile(path, "planted");
  REQUIRE(::chmod(path.c_str(), 0666) == 0);
  CHECK(AsNobody([&] {
    const auto temporary = AtomicFile::Begin(dir / "index", IfLocked::kFail);
    return !temporary && temporary.error().code == ErrorCode::kIo;
  }));
  if (::geteuid() != 0) return;
  REQUIRE(::chown(path.c_str(), 65534, 65534) == 0);
  const auto temporary = AtomicFile::Begin(dir / "index", IfLocked::kFail);
  REQUIRE(!temporary);
  CHECK(temporary.error().code == ErrorCode::kIo);
  CHECK(temporary.error().message.find("another user") != std::string::npos);
  CHECK(ReadFile(path) == "planted");
}

TEST_CASE("a temporary file that another file has replaced is not published") {
  const TempDir dir;
  WriteFile(dir / "index", "old");
  {
    AtomicFile temporary = BeginFile(dir / "index");
    CHECK(temporary.CheckName().has_value());
    fs::remove(temporary.path());
    WriteFile(temporary.path(), "another's");
    CHECK(temporary.CheckName().error().code == ErrorCode::kIo);
    CHECK(temporary.Publish(AtomicFile::Durability::kDurable).error().code == ErrorCode::kIo);
  }
  CHECK(ReadFile(dir / "index") == "old");
  CHECK(CountFiles(dir) == 2);  // the file that took the temporary name is left alone
}

TEST_CASE("bytes written to the descriptor are published, even if the name changes meanwhile") {
  const TempDir dir;
  AtomicFile temporary = BeginFile(dir / "index");
  Result<OutputFile> file = temporary.Open();
  REQUIRE(file);
  REQUIRE(file->Append(AsBytes("new")));
  REQUIRE(file->Flush());
  REQUIRE(temporary.Publish(AtomicFile::Durability::kCached));
  CHECK(ReadFile(dir / "index") == "new");
}

TEST_CASE("a new file gets the default mode, and a replacement the old file's mode, without wider access in between") {
  const TempDir dir;
  const mode_t mask = ::umask(027);
  REQUIRE(BeginFile(dir / "new").Publish(AtomicFile::Durability::kCached));
  CHECK((StatOf(dir / "new").st_mode & 07777) == 0640);
  ::umask(mask);
  for (const mode_t mode : {0600U, 0400U, 0644U, 0664U, 0666U, 0U}) {
    CAPTURE(mode);
    fs::remove(dir / "index");
    WriteFile(dir / "index", "old");
    REQUIRE(::chmod((dir / "index").c_str(), mode) == 0);
    AtomicFile temporary = BeginFile(dir / "index");
    CHECK((StatOf(temporary.path()).st_mode & 07777) == 0600);
    REQUIRE(temporary.Publish(AtomicFile::Durability::kCached));
    CHECK((StatOf(dir / "index").st_mode & 07777) == mode);
  }
}

TEST_CASE("a file keeps its owner and group, and the rights of a group that it cannot keep are dropped") {
  if (::geteuid() != 0) return;
  const TempDir dir;
  REQUIRE(::chmod(dir.path().c_str(), 0777) == 0);
  WriteFile(dir / "index", "old");
  REQUIRE(::chown((dir / "index").c_str(), 65534, 12345) == 0);
  REQUIRE(::chmod((dir / "index").c_str(), 0664) == 0);
  CHECK(AsNobody([&] {
    auto temporary = AtomicFile::Begin(dir / "index", IfLocked::kFail);
    return temporary && temporary->Publish(AtomicFile::Durability::kCached).has_value();
  }));
  CHECK(StatOf(dir / "index").st_uid == 65534);
  CHECK(StatOf(dir / "index").st_gid == 65534);
  CHECK((StatOf(dir / "index").st_mode & 07777) == 0644);

  REQUIRE(::chown((dir / "index").c_str(), 65534, 12345) == 0);
  REQUIRE(::chmod((dir / "index").c_str(), 0664) == 0);
  REQUIRE(BeginFile(dir / "index").Publish(AtomicFile::Durability::kCached));
  CHECK(StatOf(dir / "index").st_uid == 65534);
  CHECK(StatOf(dir / "index").st_gid == 12345);
  CHECK((StatOf(dir / "index").st_mode & 07777) == 0664);
}

TEST_CASE("the target of a link is replaced, and the link stays") {
  const TempDir dir;
  fs::create_directory(dir / "far");
  WriteFile(dir / "far/index", "old");
  fs::create_symlink("far/index", dir / "near");
  fs::create_symlink("near", dir / "link");
  AtomicFile temporary = BeginFile(dir / "link");
  WriteFile(temporary.path(), "new");
  CHECK(CountFiles(dir) == 3);
  REQUIRE(temporary.Publish(AtomicFile::Durability::kDurable));
  CHECK(ReadFile(dir / "far/index") == "new");
  CHECK(fs::is_symlink(dir / "link"));
  CHECK(fs::is_symlink(dir / "near"));
  fs::remove(dir / "far/index");
  CHECK(AtomicFile::Begin(dir / "link", IfLocked::kFail).error().code == ErrorCode::kUsage);
}

TEST_CASE("a missing folder is a system error, and a folder as the target is a usage error") {
  const TempDir dir;
  CHECK(AtomicFile::Begin(dir / "none/index", IfLocked::kFail).error().code == ErrorCode::kIo);
  fs::create_directory(dir / "index");
  CHECK(AtomicFile::Begin(dir / "index", IfLocked::kFail).error().code == ErrorCode::kUsage);
  CHECK(CountFiles(dir) == 1);
}

TEST_CASE("a temporary file that cannot be published is an error, and is removed") {
  const TempDir dir;
  {
    AtomicFile temporary = BeginFile(dir / "index");
    fs::create_directory(dir / "index");
    CHECK(temporary.Publish(AtomicFile::Durability::kDurable).error().code == ErrorCode::kIo);
  }
  CHECK(CountFiles(dir) == 1);
}

TEST_CASE("a temporary file can be moved, and is removed once") {
  const TempDir dir;
  AtomicFile first = BeginFile(dir / "index");
  AtomicFile second = std::move(first);
  CHECK(fs::exists(second.path()));
  AtomicFile third = BeginFile(dir / "other");
  third = std::move(second);
  CHECK(third.path() == (dir / "index") + ".ofindex-draft");
  CHECK(fs::exists(third.path()));
}

}  // namespace
}  // namespace ofindex
