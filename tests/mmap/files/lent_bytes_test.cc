#include "mmap/files/lent_bytes.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/files.h"
#include "tests/support/temp_dir.h"

namespace ofindex {
namespace {

constexpr size_t kLentPage = 4096;

// A file of eight pages, each of its own letter.
class LetterFile {
 public:
  LetterFile() {
    for (char letter = 'a'; letter < 'i'; ++letter) content_ += std::string(kLentPage, letter);
    WriteFile(path(), content_);
    file_ = File::OpenRead(path()).value();
  }

  [[nodiscard]] std::string path() const { return dir_ / "letters"; }
  [[nodiscard]] const std::string& content() const { return content_; }
  [[nodiscard]] Result<LentBytes> Lend(uint64_t offset, uint64_t n) const { return LentBytes::Map(*file_, offset, n); }

 private:
  TempDir dir_;
  std::string content_;
  std::optional<File> file_;
};

TEST_CASE("lent bytes are those of the file, at any offset and of any length, before and after their release") {
  const LetterFile file;
  for (const size_t begin : {size_t{0}, size_t{1}, kLentPage - 1, kLentPage, 3 * kLentPage + 5}) {
    for (const size_t n : {size_t{1}, size_t{2}, kLentPage, kLentPage + 1, 4 * kLentPage}) {
      const Result<LentBytes> lent = file.Lend(begin, n);
      REQUIRE(lent);
      CHECK(AsText(lent->bytes()) == file.content().substr(begin, n));
      lent->Release();
      CHECK(AsText(lent->bytes()) == file.content().substr(begin, n));
      CHECK_FALSE(lent->lost());
    }
  }
}

TEST_CASE("bytes that are lost while they are lent read as zeros, and are reported once they are read") {
  const LetterFile file;
  const Result<LentBytes> lent = file.Lend(100, 6 * kLentPage);
  REQUIRE(lent);
  TruncateTo(file.path(), 3 * kLentPage);
  const std::string_view text = AsText(lent->bytes());
  const size_t kept = 3 * kLentPage - 100;
  CHECK(text.substr(0, kept) == file.content().substr(100, kept));
  CHECK_FALSE(lent->lost());
  CHECK(text.back() == '\0');
  CHECK(lent->lost());
  CHECK(text.substr(kept) == std::string(text.size() - kept, '\0'));
  lent->Release();
  CHECK(text.back() == '\0');
}

TEST_CASE("a lost page stays with the bytes that were lent then") {
  const LetterFile file;
  {
    const Result<LentBytes> lent = file.Lend(0, 8 * kLentPage);
    REQUIRE(lent);
    TruncateTo(file.path(), 0);
    CHECK(lent->bytes()[0] == 0);
    CHECK(lent->lost());
  }
  WriteFile(file.path(), file.content());
  const Result<LentBytes> again = LentBytes::Map(File::OpenRead(file.path()).value(), 0, 8 * kLentPage);
  REQUIRE(again);
  CHECK(AsText(again->bytes()) == file.content());
  CHECK_FALSE(again->lost());
}

TEST_CASE("if too many bytes are lent at once, lending is a limit error, and possible again when some are returned") {
  const LetterFile file;
  std::vector<LentBytes> lent;
  Result<LentBytes> next = file.Lend(0, 1);
  for (; next && lent.size() < 1000; next = file.Lend(0, 1)) lent.push_back(*std::move(next));
  REQUIRE_FALSE(next);
  CHECK(next.error().code == ErrorCode::kLimit);
  CHECK(lent.size() >= 32);
  CHECK(std::all_of(lent.begin(), lent.end(), [](const LentBytes& one) { return one.bytes()[0] == 'a'; }));
  lent.erase(lent.begin());
  CHECK(file.Lend(0, 1));
}

}  // namespace
}  // namespace ofindex
