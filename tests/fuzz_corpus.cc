// Replays the corpora of all fuzz targets: each input whole, and cut off at up to kCuts places.

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "fuzz/target.h"
#include "tests/support/files.h"
#include "tests/support/sanitizers.h"

namespace ofindex {
namespace {

// Returns how many prefixes of an input are tried, too. The target `index` tries about 100 inputs a second.
size_t CutsOf(const FuzzTarget& target) {
  if (target.name == "index") return 0;
  return kSanitized ? 4 : 24;
}

std::vector<std::filesystem::path> FilesBelow(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& file : std::filesystem::directory_iterator(folder)) files.push_back(file.path());
  std::sort(files.begin(), files.end());
  return files;
}

void Replay(const FuzzTarget& target, const std::string& input) {
  const size_t cuts = CutsOf(target);
  for (size_t i = 0; i < std::min(cuts, input.size()); ++i) {
    const std::string part = input.substr(0, i * input.size() / std::min(cuts, input.size()));
    target.check(AsBytes(part));
  }
  target.check(AsBytes(input));
}

TEST_CASE("every input of the corpora, whole and cut off, is read without a fault") {
  const char* corpus = std::getenv("OFINDEX_CORPUS");
  REQUIRE_MESSAGE(corpus != nullptr, "OFINDEX_CORPUS must name fuzz/corpus");
  std::set<std::string> names;
  for (const FuzzTarget& target : FuzzTargets()) {
    CAPTURE(target.name);
    names.insert(std::string(target.name));
    const std::vector<std::filesystem::path> files = FilesBelow(std::filesystem::path(corpus) / target.name);
    CHECK(files.size() >= 2);
    for (const auto& file : files) {
      INFO("the process ends at ", file.string(), " if a property does not hold");
      const std::string input = ReadFile(file.string());
      CHECK(input.size() <= target.max_bytes);
      Replay(target, input);
    }
  }
  for (const auto& folder : FilesBelow(corpus)) CHECK(names.contains(folder.filename()));
}

}  // namespace
}  // namespace ofindex
