#include "index/output/shard_names.h"

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

constexpr uint64_t kMaxListed = 1000;

// The parts of NAME-00003-of-00012SUFFIX.
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

// Compressed shards of a set may lie next to plain ones.
std::string_view WithoutCompression(std::string_view name) {
  for (const std::string_view suffix : {".gz", ".gzip", ".zlib", ".zz", ".deflate"}) {
    if (name.size() > suffix.size() && name.ends_with(suffix)) return name.substr(0, name.size() - suffix.size());
  }
  return name;
}

// Returns the text from the last dot on; empty if there is none, and for ".name".
std::string_view FromLastDot(std::string_view name) {
  const size_t dot = name.rfind('.');
  return dot == std::string_view::npos || dot == 0 ? std::string_view() : name.substr(dot);
}

// Returns "a.tfrecord" for "a.tfrecord.12".
std::string_view WithoutNumbers(std::string_view name) {
  for (;;) {
    const std::string_view last = FromLastDot(name);
    if (last.size() < 2 || DigitsAt(last, 1) != last.size() - 1) return name;
    name.remove_suffix(last.size());
  }
}

// Returns ".tfrecord" for "a.tfrecord", "a.tfrecord.gz", "a.tfrecord.0" and "a.tfrecord-00000-of-00002"; empty if there
// is none.
std::string Extension(std::string_view name) {
  std::string bare(name);
  if (const std::optional<ShardName> numbered = ParseShardName(name)) {
    bare = std::string(numbered->before.substr(0, numbered->before.size() - 1)) + std::string(numbered->after);
  }
  const std::string_view plain = WithoutCompression(bare);
  const std::string_view unnumbered = FromLastDot(WithoutCompression(WithoutNumbers(plain)));
  if (!unnumbered.empty()) return std::string(unnumbered);
  const std::string_view extension = FromLastDot(plain);
  return std::string(extension.empty() ? std::string_view(bare).substr(plain.size()) : extension);
}

// Returns true for ".mp3" and ".h5", whose digit is that of a format and not of a shard; not for ".0", ".tfrecord-00"
// and ".shard01".
bool IsNumberedFormat(std::string_view extension) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  if (extension.empty()) return false;
  extension.remove_prefix(1);
  for (size_t i = 0; i < extension.size(); ++i) {
    if (DigitsAt(extension, i) > 1) return false;
  }
  return std::any_of(extension.begin(), extension.end(), is_letter) &&
         std::all_of(extension.begin(), extension.end(), [&](char c) { return is_digit(c) || is_letter(c); });
}

// Returns `name` with a NUL for each run of digits that may be a shard's number; empty if it has none.
std::string WithoutDigits(std::string_view name) {
  const std::string_view unnumbered = WithoutNumbers(name);
  const std::string_view extension = FromLastDot(unnumbered);
  const size_t kept_end = IsNumberedFormat(extension) ? unnumbered.size() : 0;
  const size_t kept = kept_end == 0 ? 0 : kept_end - extension.size();
  std::string marked;
  bool any = false;
  for (size_t i = 0; i < name.size();) {
    const bool is_kept = i >= kept && i < kept_end;
    const size_t digits = is_kept ? 0 : DigitsAt(name, i);
    any = any || digits != 0;
    marked += digits != 0 ? '\0' : name[i];
    i += std::max<size_t>(digits, 1);
  }
  return any ? marked : std::string();
}

}  // namespace

std::optional<std::string_view> AfterPartNumber(std::string_view name) {
  if (!name.starts_with("part-")) return std::nullopt;
  name.remove_prefix(5);
  if (name.starts_with("r-") || name.starts_with("m-")) name.remove_prefix(2);
  const size_t digits = DigitsAt(name, 0);
  return digits == 0 ? std::nullopt : std::optional(name.substr(digits));
}

std::vector<std::string> NumberedSetsOf(std::string_view path) {
  const size_t name_at = path.rfind('/') + 1;
  const std::string folder(path.substr(0, name_at));
  const std::string_view name = path.substr(name_at);
  std::vector<std::string> sets;
  if (const std::optional<ShardName> numbered = ParseShardName(WithoutCompression(path));
      numbered && numbered->before.size() > name_at) {
    sets.push_back(std::string("of") + '\0' + std::string(numbered->before) + '\0' + std::string(numbered->total) +
                   '\0' + std::string(numbered->after));
  }
  if (AfterPartNumber(name)) sets.push_back(std::string("part") + '\0' + folder + '\0' + Extension(name));
  const std::string marked = sets.empty() ? WithoutDigits(WithoutCompression(name)) : std::string();
  if (!marked.empty()) sets.push_back(std::string("digits") + '\0' + folder + '\0' + marked);
  return sets;
}

std::vector<std::string> SetsOf(std::string_view path) {
  const size_t name_at = path.rfind('/') + 1;
  const std::string folder(path.substr(0, name_at));
  const std::string extension = Extension(path.substr(name_at));
  std::vector<std::string> sets = NumberedSetsOf(path);
  if (!extension.empty()) sets.push_back(std::string("extension") + '\0' + folder + '\0' + extension);
  return sets;
}

bool HasShardNumber(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  if (AfterPartNumber(name) || ParseShardName(name)) return true;
  for (size_t i = 0; i < name.size();) {
    const size_t digits = DigitsAt(name, i);
    if (digits > 1 && name[i] == '0') return true;
    i += std::max<size_t>(digits, 1);
  }
  return false;
}

bool ShareSet(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  return std::find_first_of(a.begin(), a.end(), b.begin(), b.end()) != a.end();
}

bool IsShardName(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  if (AfterPartNumber(name) || ParseShardName(name)) return true;
  const std::string extension = Extension(name);
  for (const std::string_view known : {".tfrecord", ".tfrecords", ".tfrec", ".ofrecord"}) {
    if (extension == known) return true;
  }
  return false;
}

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
    for (uint64_t i = 0; i < count && listed < kMaxListed; ++i) {
      if (found.numbers.contains(i)) continue;
      missing.push_back(std::string(before) + Numbered(i, found.width) + "-of-" + std::string(total) +
                        std::string(after));
      ++listed;
    }
  }
  return missing;
}

}  // namespace ofindex
