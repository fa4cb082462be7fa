#include "base/nearest_names.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace ofindex {
namespace {

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

// The definition, without a band: compares every prefix of one with every prefix of the other.
size_t SlowDistance(const std::string& a, const std::string& b) {
  std::vector<std::vector<size_t>> d(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) {
    for (size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        d[i][j] = i + j;
        continue;
      }
      const bool same = Lower(a[i - 1]) == Lower(b[j - 1]);
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (same ? 0U : 1U)});
      if (i > 1 && j > 1 && Lower(a[i - 1]) == Lower(b[j - 2]) && Lower(a[i - 2]) == Lower(b[j - 1])) {
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
      }
    }
  }
  return d[a.size()][b.size()];
}

TEST_CASE("the distance of two names is the number of edits, up to the given limit") {
  std::mt19937_64 random(1);
  for (int round = 0; round < 20'000; ++round) {
    std::string words[2];
    for (std::string& word : words) {
      word.resize(random() % 12);
      for (char& c : word) c = "abcABC"[random() % 6];
    }
    const size_t distance = SlowDistance(words[0], words[1]);
    for (const size_t most : {0U, 1U, 3U, 8U, 20U}) {
      CAPTURE(words[0]);
      CAPTURE(words[1]);
      CAPTURE(most);
      REQUIRE(EditDistance(words[0], words[1], most) == std::min(distance, most + 1));
    }
  }
}

TEST_CASE("the nearest names come first, each once, and distant names are left out") {
  const std::vector<std::string> names = {
      "image/height", "image/width", "image/format", "label", "image/height", "Label_2", "image/heights", "x", "",
      "bildhöhe"};
  using Names = std::vector<std::string>;
  CHECK(NearestNames("image/hieght", names) == Names{"image/height", "image/heights"});
  CHECK(NearestNames("IMAGE/HEIGHT", names) == Names{"image/height", "image/heights"});
  CHECK(NearestNames("lable", names) == Names{"label"});
  CHECK(NearestNames("y", names) == Names{"x", ""});
  CHECK(NearestNames("bildhohe", names) == Names{"bildhöhe"});
  CHECK(NearestNames("nothing like it", names).empty());
  CHECK(NearestNames(std::string(1 << 20, 'a'), names).empty());
  CHECK(NearestNames("a", Names(2000, std::string(100'000, 'a'))).empty());
}

}  // namespace
}  // namespace ofindex
