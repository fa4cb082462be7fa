#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

#include "bench/limits/commands.h"
#include "bench/limits/shards.h"

namespace limits {
namespace {

constexpr size_t kPrefetchDistance = 14;  // records; between 8 and 20 it makes no difference

uint64_t LongestOf(const std::vector<Place>& records) {
  uint64_t longest = 0;
  for (const Place& record : records) longest = std::max(longest, record.size);
  return longest;
}

}  // namespace

int Copy(Words words) {
  if (words.size() != 3) return 2;
  const std::vector<Place> records = MapRecords(words[0]);
  const uint64_t at_once = std::strtoull(words[1], nullptr, 10);
  std::vector<size_t> wanted(std::strtoull(words[2], nullptr, 10));
  std::mt19937_64 random(1);
  for (size_t& ordinal : wanted) ordinal = random() % records.size();
  std::vector<uint8_t> out(at_once * LongestOf(records));
  const size_t ahead = at_once == 1 ? 0 : kPrefetchDistance;
  const auto begin = std::chrono::steady_clock::now();
  for (size_t first = 0; first < wanted.size(); first += at_once) {
    uint8_t* to = out.data();
    for (size_t i = first; i < std::min<size_t>(first + at_once, wanted.size()); ++i) {
      if (ahead != 0 && i + ahead < wanted.size()) Prefetch(records[wanted[i + ahead]]);
      const Place record = records[wanted[i]];
      std::memcpy(to, record.data, record.size);
      to += record.size;
    }
  }
  Print(wanted.size(), std::chrono::steady_clock::now() - begin, {});
  return 0;
}

}  // namespace limits
