#include "base/file.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "tests/support/child_process.h"
#include "tests/support/files.h"
#include "tests/support/temp_dir.h"

namespace ofindex {
namespace {

File Opened(const std::string& path) {
  auto file = File::OpenRead(path);
  REQUIRE_MESSAGE(file, file.error().message);
  return std::move(*file);
}

TEST_CASE("the folder of a path can be used to open files in it") {
  CHECK(FolderOf("a/b") == "a");
  CHECK(FolderOf("b") == ".");
  CHECK(FolderOf("/b") == "/");
  CHECK(FolderOf("../b") == "..");
}

TEST_CASE("a file is read at any offset, and a read past the end returns fewer bytes") {
  const TempDir dir;
  WriteFile(dir / "f", "0123456789");
  const File file = Opened(dir / "f");
  struct Row {
    uint64_t offset;
    size_t n;
    std::string_view bytes;
  };
  const Row rows[] = {
      {0, 10, "0123456789"},  // all
      {3, 4, "3456"},         // the middle
      {9, 1, "9"},            // the last byte
      {8, 5, "89"},           // across the end
      {10, 1, ""},            // at the end
      {0, 0, ""},             // nothing
      {11, 1, ""},            // past the end
      {uint64_t{1} << 62, 4, ""},
      {std::numeric_limits<int64_t>::max(), 4, ""},  // the largest offset that the system supports
      {uint64_t{1} << 63, 4, ""},                    // beyond that
      {~uint64_t{0}, 4, ""},                         // a sum would wrap to the beginning of the file
  };
  for (const Row& row : rows) {
    CAPTURE(row.offset);
    std::vector<uint8_t> out(row.n);
    const auto n = file.ReadAt(row.offset, out);
    REQUIRE(n);
    CHECK(AsText(ByteView(out).first(*n)) == row.bytes);
  }
}

TEST_CASE("anything but a regular file is refused without waiting for it") {
  const TempDir dir;
  REQUIRE(::mkfifo((dir / "fifo").c_str(), 0600) == 0);  // opening it would wait for a writer
  std::filesystem::create_directory(dir / "folder");
  std::filesystem::create_symlink("nowhere", dir / "broken");
  std::filesystem::create_symlink("circle", dir / "circle");
  std::filesystem::create_symlink("fifo", dir / "to_fifo");
  for (const char* name : {"fifo", "folder", "broken", "circle", "to_fifo", "missing"}) {
    CAPTURE(name);
    const auto file = File::OpenRead(dir / name);
    REQUIRE_FALSE(file);
    CHECK(file.error().code == ErrorCode::kIo);
    CHECK(file.error().message.find(name) != std::string::npos);
  }
  CHECK_FALSE(File::OpenRead("/dev/zero"));
  CHECK_FALSE(File::OpenRead(""));
}

TEST_CASE("a file of another user is opened, though only its owner may leave its access time alone") {
  const int opened = RunInChild([] {
    if (::geteuid() == 0 && (::setgid(65534) != 0 || ::setuid(65534) != 0)) return 2;
    return File::OpenRead("/etc/passwd") ? 0 : 1;
  });
  CHECK(opened == 0);
}

TEST_CASE("links are followed") {
  const TempDir dir;
  WriteFile(dir / "f", "abc");
  std::filesystem::create_symlink("f", dir / "link");
  std::filesystem::create_hard_link(dir / "f", dir / "hard");
  const auto facts = Opened(dir / "f").Facts();
  REQUIRE(facts);
  for (const char* name : {"link", "hard"}) CHECK(StatFile(dir / name)->inode == facts->inode);
  CHECK(StatFile(dir / "f")->size == 3);
  CHECK(StatFile(dir / "f")->regular);
  CHECK_FALSE(StatFile(dir.path())->regular);
  CHECK_FALSE(StatFile(dir / "missing"));
}

TEST_CASE("every change to a file changes its size, times or inode, and reading changes none of them") {
  const TempDir dir;
  WriteFile(dir / "f", "abc");
  const File file = Opened(dir / "f");
  const auto facts = [&] { return file.Facts().value(); };
  const FileFacts first = facts();
  std::vector<uint8_t> out(3);
  REQUIRE(file.ReadAt(0, out));
  CHECK(facts() == first);

  SetMtime(dir / "f", 1'000'000'000'123'456'789);
  CHECK(facts().mtime_ns == 1'000'000'000'123'456'789);
  const FileFacts touched = facts();
  CHECK_FALSE(touched == first);
  AppendTo(dir / "f", "d");
  CHECK(facts().size == 4);
  CHECK_FALSE(facts() == touched);
  const FileFacts grown = facts();
  ReplaceFile(dir / "f", "abcd");  // the open file is the old inode
  CHECK(facts().size == grown.size);
  CHECK(StatFile(dir / "f")->inode != grown.inode);
}

TEST_CASE("a time before 1970 is negative, not far in the future") {
  const TempDir dir;
  WriteFile(dir / "f", "abc");
  SetMtime(dir / "f", -5'000'000'000);
  CHECK(StatFile(dir / "f")->mtime_ns == -5'000'000'000);
}

TEST_CASE("an open file stays readable after it is deleted, and a moved File is closed exactly once") {
  const TempDir dir;
  WriteFile(dir / "f", "abc");
  File file = Opened(dir / "f");
  std::filesystem::remove(dir / "f");
  const int fd = file.fd();
  {
    const File moved = std::move(file);
    CHECK(moved.fd() == fd);
    std::vector<uint8_t> out(3);
    REQUIRE(moved.ReadAt(0, out));
    CHECK(AsText(out) == "abc");
  }
  CHECK(::fcntl(fd, F_GETFD) == -1);  // closed exactly once
}

TEST_CASE("a descriptor does not leak into a child program") {
  const TempDir dir;
  WriteFile(dir / "f", "");
  CHECK((::fcntl(Opened(dir / "f").fd(), F_GETFD) & FD_CLOEXEC) != 0);
}

TEST_CASE("a system error names file, action and reason, and contains no control characters") {
  const Error error = SystemError("a\x1b[2Jb", "cannot open", ENOENT);
  CHECK(error.code == ErrorCode::kIo);
  CHECK(error.message == "a\\x1b[2Jb: cannot open: No such file or directory");
}

}  // namespace
}  // namespace ofindex
