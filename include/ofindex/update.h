#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <ofindex/api.h>
#include <ofindex/build.h>
#include <ofindex/info.h>
#include <ofindex/result.h>

namespace ofindex::v1 {

struct UpdateOptions {
  std::string index;                   ///< path of the index, or the DATA that it is named after
  std::vector<std::string> data = {};  ///< more files, folders, globs, lists, which belong to DATA from now on
  bool verify = false;                 ///< also check every payload byte of what is read
  bool prune = false;                  ///< also drop what is gone, and give records the ordinals of a new build
  bool wait_if_locked = false;         ///< wait for another writer of this index, instead of an error
  unsigned threads = 0;                ///< 0: one per processor

  /// As in BuildOptions, for what is read. The index does not remember them.
  uint64_t max_ratio = 200;
  uint64_t max_inflated_bytes = uint64_t{1} << 40;
};

/// What an update found a shard to be. Numbers may be added.
enum class ShardChange : uint8_t {
  kNew = 0,
  kGrown = 1,       ///< the same records as before, and more
  kChanged = 2,     ///< other content: its records are new, and those of before are gone
  kMoved = 3,       ///< the same content at another path
  kRestored = 4,    ///< it was gone, and its records are there again
  kMissing = 5,     ///< its records are gone
  kUnreadable = 6,  ///< kept as it is
};

/// Returns the word that the command uses, such as "grown".
[[nodiscard]] OFINDEX_API std::string_view Name(ShardChange change);

struct UpdatedShard {
  ShardChange change;
  std::string path;
  std::string before;        ///< its path before, if it has moved
  uint64_t records = 0;      ///< that it has now; of a missing shard, that are gone
  uint64_t new_records = 0;  ///< of these, those that the index had not
};

struct UpdateReport {
  std::string index;                       ///< path
  bool was_up_to_date = false;             ///< nothing was done
  int64_t generation = 0;                  ///< 1 after a build, one more after each update that changed something
  uint64_t records = 0;                    ///< of the dataset
  uint64_t new_records = 0;                ///< since the generation before
  uint64_t gone_records = 0;               ///< likewise
  bool renumbered = false;                 ///< by `prune`: lists of ordinals and states of samplers are void
  uint64_t pruned_records = 0;             ///< gone ones that were left out for good
  std::string map_damage;                  ///< what was wrong with the map of an up-to-date index; the map was rebuilt
  std::vector<UpdatedShard> shards;        ///< that are not as before, in natural order of paths
  std::vector<BadRecord> bad;              ///< in what was read
  std::vector<Damage> damage;              ///< likewise
  std::vector<FileNote> skipped;           ///< files of DATA that are not shards
  std::vector<std::string> missing;        ///< shards missing from a set NAME-SSSSS-of-NNNNN, and not in `shards`
  std::vector<std::string> columns_added;  ///< SQL names
  std::vector<std::string> columns_removed;  ///< likewise
};

/// Brings an index up to date with its DATA: reads shards that are new, longer or changed, and no others. Every record
/// that is still there keeps its ordinal, unless `prune` is set; new ones get the next. The index is replaced as a
/// whole, or stays as it is. Datasets that are open stay at their generation: open them again. Thread-safe. Reports to
/// `progress` unless it is null.
///
/// Errors: kNotFound, kIndex; kStale if a folder or a list of DATA or all shards are missing, or a shard changes while
/// it is read; kFormat if a new shard is of another format; kUsage for an index of messages; kLocked, kIo, kLimit,
/// kInterrupted.
[[nodiscard]] OFINDEX_API Result<UpdateReport> UpdateIndex(const UpdateOptions& options, Progress* progress = nullptr);

}  // namespace ofindex::v1
