#include <doctest/doctest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "mmap/files/fault_guard.h"
#include "mmap/files/mapped_file.h"
#include "tests/mmap/files/guarded_copy.h"
#include "tests/support/files.h"
#include "tests/support/temp_dir.h"

namespace ofindex {
namespace {

constexpr size_t kBytes = 8192;
constexpr int kRounds = 2000;

MappedFile Mapped(const std::string& path) { return MappedFile::Map(File::OpenRead(path).value(), kBytes).value(); }

TEST_CASE("threads that fault do not affect other threads") {
  const TempDir dir;
  WriteFile(dir / "whole", std::string(kBytes, 'x'));
  WriteFile(dir / "cut", std::string(kBytes, 'x'));
  const MappedFile whole = Mapped(dir / "whole");
  const MappedFile cut = Mapped(dir / "cut");
  TruncateTo(dir / "cut", 0);

  std::atomic<int> copied{0}, survived{0};
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 6; ++t) {
      threads.emplace_back([&, t] {
        std::vector<uint8_t> out(kBytes);
        for (int i = 0; i < kRounds; ++i) {
          if (t % 2 == 0) {
            copied += GuardedCopy(out.data(), whole.bytes().data(), kBytes) && out.back() == 'x';
          } else {
            survived += !GuardedCopy(out.data(), cut.bytes().data(), kBytes);
          }
        }
      });
    }
  }
  CHECK(copied == 3 * kRounds);
  CHECK(survived == 3 * kRounds);
}

}  // namespace
}  // namespace ofindex
