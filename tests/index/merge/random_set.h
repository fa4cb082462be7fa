#pragma once

#include <algorithm>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "tests/index/merge/merging.h"
#include "tests/index/random_shards.h"
#include "tests/proto/message_bytes.h"
#include "tests/support/compressed_bytes.h"

namespace ofindex {

/// Returns a message whose features depend on `i`: some only occur in some records, one is long, one is a list. It may
/// contain what looks like records, at which a range could be entered.
inline std::string RandomMessage(Framing framing, uint64_t i, std::mt19937_64& random) {
  const bool is_example = framing == Framing::kTfRecord;
  const uint32_t integers = is_example ? 3 : 5;  // field numbers of the lists in a feature
  const auto entry = [](std::string_view name, uint32_t kind, const std::string& list) {
    return Field(1, Field(1, name) + Field(2, Field(kind, list)));
  };
  std::string features = entry("label", integers, VarintField(1, i % 7));
  if (i % 5 == 0) features += entry("late" + std::to_string(i / 100), 2, FixedField(1, static_cast<float>(i)));
  if (i % 11 == 0) features += entry("boxes", integers, VarintField(1, 1) + VarintField(1, i));
  std::string text = "record " + std::to_string(i);
  if (i % 3 == 0) text = "GIF89a" + text;  // a header of an image, or part of one
  if (random() % 20 == 0) {
    text +=
        RecordBytes(Framing::kTfRecord, "inner") + RecordBytes(Framing::kTfRecord, std::string(random() % 300, 'i'));
  }
  if (random() % 50 == 0) text += std::string(random() % (4 * kTestSegmentBytes), 'x');
  features += entry("text", 1, Field(1, text));
  return is_example ? Field(1, features) : features;
}

/// Fills a set with up to six shards of all sorts: whole and damaged, plain and compressed, empty and large.
inline void PutRandomShards(BuiltSet& set, Framing framing, std::mt19937_64& random) {
  const auto below = [&random](uint64_t n) { return random() % n; };
  uint64_t i = 0;
  for (uint64_t shard = 0, shards = 1 + below(6); shard < shards; ++shard) {
    std::string bytes;
    for (uint64_t n = below(2) == 0 ? below(20) : below(400); n > 0; --n) {
      bytes += RecordBytes(framing, RandomMessage(framing, i++, random));
    }
    if (below(4) == 0) Damage(bytes, random);
    if (below(5) == 0) bytes = Compressed(Compression::kGzip, bytes);
    set.Put("part-" + std::to_string(shard), bytes);
  }
  if (below(3) == 0) set.Put("notes.txt", "not a record file" + std::string(below(4 * kTestSegmentBytes), 'n'));
}

/// Returns options of a random build.
inline BuildOptions RandomOptions(const BuiltSet& set, std::mt19937_64& random) {
  BuildOptions options = PartOptions(set, random() % 2 == 0);
  if (random() % 3 == 0) options.format.framing.reset();
  if (random() % 3 == 0) {
    options.columns = ColumnChoice{.mode = ColumnChoice::Mode::kNamed, .names = {"boxes", "text"}};
  }
  if (random() % 2 == 0) options.derive = Derivations::Of({"text:image", "text:hash", "boxes:length"}).value();
  if (random() % 2 == 0) options.inflate.checkpoint_bytes = 1 << 20;
  options.columns_optional = true;
  return options;
}

/// Merges parts at random until there is one index: neighbours into larger parts, in any order and nesting. Returns its
/// path.
inline std::string MergeAtRandom(const BuiltSet& set, std::vector<std::string> parts, std::mt19937_64& random) {
  for (int round = 0;; ++round) {
    const size_t first = parts.size() == 1 || random() % 3 == 0 ? 0 : random() % (parts.size() - 1);
    const size_t count = first == 0 && random() % 3 == 0 ? parts.size() : 1 + random() % (parts.size() - first);
    const auto begin = parts.begin() + static_cast<std::ptrdiff_t>(first);
    std::vector<std::string> some(begin, begin + static_cast<std::ptrdiff_t>(count));
    std::shuffle(some.begin(), some.end(), random);
    const std::string merged = set.folder() + "/merged-" + std::to_string(round) + ".ofidx";
    Merge(some, merged);
    if (count == parts.size()) return merged;
    parts.erase(begin + 1, begin + static_cast<std::ptrdiff_t>(count));
    parts[first] = merged;
  }
}

/// Returns the number of random partitions that a test tries: OFINDEX_PARTITIONS, 400 by default.
inline uint64_t Partitions() {
  const char* const given = std::getenv("OFINDEX_PARTITIONS");
  return given == nullptr ? 400 : std::strtoull(given, nullptr, 10);
}

}  // namespace ofindex
