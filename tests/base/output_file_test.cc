#include "base/output_file.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <random>
#include <string>

#include "tests/support/files.h"
#include "tests/support/temp_dir.h"

namespace ofindex {
namespace {

constexpr size_t kBuffer = size_t{1} << 18;  // as in output_file.cc: the sizes below are close to it

OutputFile Created(const std::string& path) {
  auto file = OutputFile::Create(path);
  REQUIRE_MESSAGE(file, file.error().message);
  return std::move(*file);
}

TEST_CASE("a file holds the appended bytes, whatever the sizes of the pieces") {
  const TempDir dir;
  for (size_t piece : {size_t{1}, size_t{7}, kBuffer - 1, kBuffer, kBuffer + 1, 3 * kBuffer}) {
    CAPTURE(piece);
    OutputFile out = Created(dir / "f");
    std::string expected;
    for (int i = 0; i < 5; ++i) {
      const std::string bytes(piece, static_cast<char>('a' + i));
      REQUIRE(out.Append(AsBytes(bytes)));
      expected += bytes;
      CHECK(out.size() == expected.size());
    }
    REQUIRE(out.Flush());
    CHECK(out.size() == expected.size());
    CHECK(ReadFile(dir / "f") == expected);
  }
}

TEST_CASE("appended bytes can be overwritten, whether or not they were flushed") {
  const TempDir dir;
  OutputFile out = Created(dir / "f");
  REQUIRE(out.Append(AsBytes("0123456789")));
  REQUIRE(out.WriteAt(2, AsBytes("abc")));  // not flushed until now
  REQUIRE(out.Append(AsBytes("more")));
  REQUIRE(out.WriteAt(0, AsBytes("X")));
  REQUIRE(out.Sync());
  CHECK(ReadFile(dir / "f") == "X1abc56789more");
  CHECK(out.size() == 14);
}

TEST_CASE("a copied file and what follows it are where they belong") {
  const TempDir dir;
  WriteFile(dir / "from", std::string(kBuffer + 5, 'b') + "not copied");
  const File from = File::OpenRead(dir / "from").value();
  OutputFile out = Created(dir / "f");
  REQUIRE(out.Append(AsBytes("a")));
  REQUIRE(out.AppendFile(from, kBuffer + 5));
  REQUIRE(out.Append(AsBytes("c")));
  REQUIRE(out.Flush());
  CHECK(ReadFile(dir / "f") == "a" + std::string(kBuffer + 5, 'b') + "c");
  CHECK(out.size() == kBuffer + 7);
}

TEST_CASE("a sync that the system refuses is an error") {
  OutputFile out = Created("/dev/null");
  const auto synced = out.Sync();
  REQUIRE_FALSE(synced);
  CHECK(synced.error().message.find("cannot sync") != std::string::npos);
}

TEST_CASE("creating a file truncates an existing one, and bytes that are never flushed are not written") {
  const TempDir dir;
  WriteFile(dir / "f", "a longer text that was here before");
  {
    OutputFile out = Created(dir / "f");
    REQUIRE(out.Append(AsBytes("abc")));
  }
  CHECK(ReadFile(dir / "f") == "");
}

TEST_CASE("a moved OutputFile continues at its position, and its file is closed once") {
  const TempDir dir;
  OutputFile first = Created(dir / "f");
  REQUIRE(first.Append(AsBytes("abc")));
  OutputFile second = std::move(first);
  REQUIRE(second.Append(AsBytes("def")));
  OutputFile third = Created(dir / "g");
  third = std::move(second);
  REQUIRE(third.Flush());
  CHECK(ReadFile(dir / "f") == "abcdef");
  CHECK(third.path() == dir / "f");
}

TEST_CASE("append, overwrite, flush and sync fail when they write to a full disk") {
  OutputFile out = Created("/dev/full");
  const std::string large(kBuffer + 1, 'x');
  CHECK(out.Append(AsBytes("small")));  // stays in the buffer
  const auto flushed = out.Flush();
  REQUIRE_FALSE(flushed);
  CHECK(flushed.error().code == ErrorCode::kIo);
  CHECK(flushed.error().message == "/dev/full: cannot write: No space left on device");
  CHECK_FALSE(out.Sync());
  CHECK_FALSE(out.WriteAt(0, AsBytes("x")));
  CHECK_FALSE(out.Append(AsBytes(large)));
}

// Limits files to `bytes` until the object dies; the system returns EFBIG instead of raising a signal.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(::signal(SIGXFSZ, SIG_IGN)) {
    REQUIRE(::getrlimit(RLIMIT_FSIZE, &before_) == 0);
    const rlimit limit{.rlim_cur = bytes, .rlim_max = before_.rlim_max};
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &limit) == 0);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    ::signal(SIGXFSZ, handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  sighandler_t handler_;
  rlimit before_{};
};

TEST_CASE("a disk that fills up during a write is an error, and the write can be retried") {
  const TempDir dir;
  const std::string bytes(10'000, 'x');
  OutputFile out = Created(dir / "f");
  REQUIRE(out.Append(AsBytes(bytes)));
  {
    const FileSizeLimit limit(4'096);
    CHECK_FALSE(out.Flush());
    CHECK(std::filesystem::file_size(dir / "f") == 4'096);
    CHECK(out.size() == bytes.size());
  }
  REQUIRE(out.Flush());
  CHECK(ReadFile(dir / "f") == bytes);
}

TEST_CASE("failing to create a file is an error with the system's reason") {
  const TempDir dir;
  const auto in_missing_folder = OutputFile::Create(dir / "no/f");
  REQUIRE_FALSE(in_missing_folder);
  CHECK(in_missing_folder.error().code == ErrorCode::kIo);
  CHECK(in_missing_folder.error().message.ends_with("cannot create: No such file or directory"));
  CHECK_FALSE(OutputFile::Create(dir.path()));
}

TEST_CASE("the folder of any path can be synced, even if the path names no folder") {
  const TempDir dir;
  CHECK(SyncDirectoryOf(dir / "f"));
  CHECK(SyncDirectoryOf("f"));
  CHECK(SyncDirectoryOf("/f"));
  CHECK_FALSE(SyncDirectoryOf(dir / "no/f"));
}

}  // namespace
}  // namespace ofindex
