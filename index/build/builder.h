#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "index/catalog/catalog.h"
#include "index/columns/column.h"
#include "index/columns/column_choice.h"
#include "index/output/draft.h"
#include "index/shards/detect.h"
#include "index/shards/shard_set.h"
#include "index/walk/inflating_walk.h"

namespace ofindex {

struct BuildOptions {
  std::vector<std::string> data;  ///< files, folders, globs, lists; see FindShards
  std::string index;              ///< empty: called after the one argument in `data`
  bool verify = false;            ///< look at every payload byte, too
  FormatChoice format;
  InflateOptions inflate;                    ///< of compressed shards
  std::optional<ColumnChoice> columns = {};  ///< features that become columns; not given: auto
  bool columns_optional = false;             ///< a name in `columns` that no record has is no error
  std::string descriptor;  ///< a FileDescriptorSet, as protoc writes it, that describes the payloads; with `message`
  std::string message;     ///< "pkg.Name", the message that the payloads are; with named columns
  unsigned threads = 0;    ///< that compute; 0: as many as there are processors
  bool force = false;      ///< replace a stale index
  Draft::IfLocked if_locked = Draft::IfLocked::kFail;
  Draft::Durability durability = Draft::Durability::kDurable;
};

/// What an index holds once a build is done.
struct BuildReport {
  std::string index;            ///< path
  bool was_up_to_date = false;  ///< nothing was done
  DatasetFacts facts;
  uint64_t index_bytes = 0;
  uint64_t map_bytes = 0;
  std::vector<ShardRow> shards;
  std::vector<BadRow> bad;
  std::vector<DamageRow> damage;
  std::vector<FeatureRow> features;
  uint64_t without_column = 0;  ///< features that have no column because there are too many
  std::vector<SkippedFile> skipped;
  std::vector<std::string> missing;
  std::string map_damage;  ///< what was wrong with the map of an index that is up to date; it was made again
};

/// Reads the shards once, in place, and publishes their index and its map.
///
/// The outcome is the same, byte for byte, on any number of threads and from any folder. Damage never stops a build: it
/// is in the report and in the index. Neither does a file or folder below DATA that cannot be read: it is among the
/// skipped ones. Whatever stops it leaves the index that was there before, whole. An index that is
/// up to date is left alone; one without payload checks gives way to a build with them, as one with other columns does
/// to a build that names its own.
///
/// A name in `columns` that no record has is an error, so that a misspelt one costs no index: nothing is published,
/// unless `columns_optional`. The fields of a `message` are names that its descriptor has, and need no record.
///
/// Errors: kUsage  a name in `columns` is in no record; kUsage, kFormat  see FindShards and ProbeShards; kStale  there
/// is an index, and it is not of these shards and options (hint: --force); kIndex  something else than an index, or
/// than its map, is in its place, which nothing replaces; kLocked; kIo; kInterrupted.
[[nodiscard]] Result<BuildReport> BuildIndex(const BuildOptions& options, Progress& progress);

/// The names in the report's choice of columns that no record has, in byte order.
[[nodiscard]] std::vector<std::string> ColumnsInNoRecord(const BuildReport& report);

/// "--columns: no record has 'lable' (did you mean 'label'?) or 'x'", for at least one of `names`.
[[nodiscard]] std::string DescribeInNoRecord(const std::vector<std::string>& names, const BuildReport& report);

}  // namespace ofindex
