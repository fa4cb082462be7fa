#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "index/output/atomic_file.h"
#include "tests/support/files.h"
#include "tests/support/temp_dir.h"

namespace ofindex {
namespace {

TEST_CASE("waiting builders run one after another, each with an empty temporary file of its own") {
  constexpr int kBuilders = 8;
  const TempDir dir;
  const std::string target = dir / "index";
  std::atomic<int> most{0};
  std::atomic<int> active{0};
  std::vector<std::jthread> builders;
  for (int i = 0; i < kBuilders; ++i) {
    builders.emplace_back([&, i] {
      Result<AtomicFile> temporary = AtomicFile::Begin(target, AtomicFile::IfLocked::kWait);
      REQUIRE(temporary.has_value());
      most = std::max<int>(most, ++active);
      CHECK(ReadFile(temporary->path()).empty());
      WriteFile(temporary->path(), std::string(100, static_cast<char>('a' + i)));
      --active;
      if (i % 2 == 0) CHECK(temporary->Publish(AtomicFile::Durability::kCached).has_value());
    });
  }
  builders.clear();
  CHECK(most == 1);
  const std::string published = ReadFile(target);
  CHECK(published == std::string(100, published[0]));
  CHECK((published[0] - 'a') % 2 == 0);
}

}  // namespace
}  // namespace ofindex
