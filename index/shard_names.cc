#include "index/shard_names.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>

namespace ofindex {
namespace {

constexpr uint64_t kMostListed = 1000;

// NAME-00003-of-00012SUFFIX, taken apart.
struct ShardName {
  std::string_view before;
  std::string_view number;
  std::string_view total;
  std::string_view after;
};

size_t DigitsAt(std::string_view text, size_t at) {
  size_t n = 0;
  while (at + n < text.size() && text[at + n] >= '0' && text[at + n] <= '9') ++n;
  return n;
}

std::optional<ShardName> ParseShardName(std::string_view path) {
  const size_t of = path.rfind("-of-");
  if (of == std::string_view::npos) return std::nullopt;
  size_t begin = of;
  while (begin > 0 && path[begin - 1] >= '0' && path[begin - 1] <= '9') --begin;
  const size_t total = DigitsAt(path, of + 4);
  if (begin == of || begin == 0 || path[begin - 1] != '-' || total == 0) return std::nullopt;
  return ShardName{path.substr(0, begin), path.substr(begin, of - begin), path.substr(of + 4, total),
                   path.substr(of + 4 + total)};
}

std::optional<uint64_t> ToNumber(std::string_view digits) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

std::string Numbered(uint64_t number, size_t width) {
  const std::string digits = std::to_string(number);
  return digits.size() >= width ? digits : std::string(width - digits.size(), '0') + digits;
}

}  // namespace

std::vector<std::string> MissingOfSets(const std::vector<std::string>& paths) {
  using SetName = std::tuple<std::string_view, std::string_view, std::string_view>;
  struct Found {
    std::set<uint64_t> numbers;
    size_t width = 0;
  };
  std::map<SetName, Found> sets;
  for (const std::string& path : paths) {
    const std::optional<ShardName> name = ParseShardName(path);
    const std::optional<uint64_t> number = name ? ToNumber(name->number) : std::nullopt;
    if (!number) continue;
    Found& found = sets[{name->before, name->total, name->after}];
    found.numbers.insert(*number);
    found.width = std::max(found.width, name->number.size());
  }
  std::vector<std::string> missing;
  for (const auto& [set, found] : sets) {
    const auto& [before, total, after] = set;
    const uint64_t count = ToNumber(total).value_or(0);
    uint64_t listed = 0;
    for (uint64_t i = 0; i < count && listed < kMostListed; ++i) {
      if (found.numbers.contains(i)) continue;
      missing.push_back(std::string(before) + Numbered(i, found.width) + "-of-" + std::string(total) +
                        std::string(after));
      ++listed;
    }
  }
  return missing;
}

}  // namespace ofindex
