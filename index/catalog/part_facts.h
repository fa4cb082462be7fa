#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/checksum.h"

namespace ofindex {

/// The most parts of a job.
inline constexpr uint32_t kMaxParts = 1'000'000;

/// A shard of which a part has only a range, and where the walk of that range began and ended
/// (index/walk/walk_range.h).
struct PartialShard {
  uint32_t shard = 0;   ///< number in the part: the first shard or the last
  uint64_t begin = 0;   ///< of the range, in bytes
  uint64_t end = 0;     ///< UINT64_MAX: to the end of the shard
  uint64_t first = 0;   ///< where the first record begins; UINT64_MAX: there is none
  uint64_t next = 0;    ///< where the first record after the range begins
  uint64_t tested = 0;  ///< bytes read to find records after gaps

  bool operator==(const PartialShard&) const = default;
};

/// The options for compressed shards with which a part was built (InflateOptions in index/walk/inflating_walk.h).
struct InflateFacts {
  uint64_t checkpoint_bytes = 0;
  uint64_t max_ratio = 0;
  uint64_t max_bytes = 0;

  bool operator==(const InflateFacts&) const = default;
};

/// The part of a job that an index is: `ofindex build --part K/N`, or several of them merged.
struct PartFacts {
  uint32_t first = 1;  ///< the index has the parts `first` to `last` of `of`
  uint32_t last = 1;
  uint32_t of = 1;
  Digest128 job{};                               ///< of the data and options of the job
  InflateFacts inflate = {};                     ///< options that a whole index does not keep
  std::vector<PartialShard> partial = {};        ///< at most two, ascending
  std::optional<std::string> dropped_from = {};  ///< names from here on were dropped: there were too many

  [[nodiscard]] bool complete() const { return first == 1 && last == of; }

  /// Convert the facts to the text in an index, and back. Parse returns nullopt for anything that Text cannot return.
  [[nodiscard]] std::string Text() const;
  [[nodiscard]] static std::optional<PartFacts> Parse(std::string_view text);

  bool operator==(const PartFacts&) const = default;
};

/// Returns "part 2 of 7" or "parts 2 to 5 of 7".
[[nodiscard]] std::string Describe(const PartFacts& part);

}  // namespace ofindex
