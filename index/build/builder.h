#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "index/build/dropped_columns.h"
#include "index/catalog/catalog.h"
#include "index/columns/column.h"
#include "index/columns/column_choice.h"
#include "index/columns/derivations.h"
#include "index/keys/key_builder.h"
#include "index/output/atomic_file.h"
#include "index/parts/part_plan.h"
#include "index/shards/detect.h"
#include "index/shards/shard_set.h"
#include "index/walk/inflating_walk.h"

namespace ofindex {

class IndexWriter;

/// The time after which a build saves each shard that it begins to write. Shorter builds save nothing, so that they
/// cost nothing more; a killed build loses at most this time, the shard that it was writing then, and those that it was
/// scanning when it was killed.
inline constexpr std::chrono::milliseconds kSaveAfter{2000};
inline constexpr std::chrono::milliseconds kNeverSave = std::chrono::milliseconds::max();

struct BuildOptions {
  std::vector<std::string> data;  ///< files, folders, globs, lists; see FindShards
  std::string index;              ///< empty: named after the only argument in `data`
  bool verify = false;            ///< also check every payload byte
  FormatChoice format;
  InflateOptions inflate;                    ///< for compressed shards
  std::optional<ColumnChoice> columns = {};  ///< features that become columns; nullopt: auto
  std::optional<Derivations> derive = {};    ///< columns derived from features; nullopt: none
  std::vector<std::string> keys = {};        ///< features by which the index gets a key; not for a part
  bool columns_optional = false;             ///< a name in `columns` or `derive` that no record has is not an error
  /// path of a FileDescriptorSet, as written by protoc, that describes the payloads; needs `message`
  std::string descriptor;
  std::string message;   ///< "pkg.Name", the message type of the payloads; needs named columns
  unsigned threads = 0;  ///< that may compute at once; 0: one per processor
  bool force = false;    ///< replace a stale index
  AtomicFile::IfLocked if_locked = AtomicFile::IfLocked::kFail;
  AtomicFile::Durability durability = AtomicFile::Durability::kDurable;
  /// build only this part of the index, to be merged with the others (index/merge/merger.h)
  std::optional<PartChoice> part = {};
  std::optional<WalkEntry> part_entry = {};  ///< where the walk of the part's first shard begins, if known
  uint64_t segment_bytes = 0;                ///< as in ScanOptions
  std::chrono::milliseconds save_after = kSaveAfter;
};

/// The contents of an index after a build.
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
  DroppedColumns dropped;                 ///< columns of the index that was replaced
  std::vector<KeyReport> keys;            ///< that were made
  std::string not_attached;               ///< why the attached columns next to the index are not of its records
  std::vector<std::string> dropped_keys;  ///< features by which only the index that was replaced has a key
  uint64_t without_column = 0;            ///< features that have no column because there are too many
  std::vector<SkippedFile> skipped;
  std::vector<std::string> missing;
  uint64_t resumed_records = 0;  ///< scanned by an earlier build of this index that was killed
  std::string map_damage;        ///< what was wrong with the map of an up-to-date index; the map was rebuilt
  bool renumbered = false;       ///< a merge of whole indexes: some records have other ordinals than in those
};

/// Reads the shards once, in place, and publishes their index and its map.
///
/// The result is the same, byte for byte, for any number of threads and from any folder. Damage never stops a build: it
/// is listed in the report and in the index. An unreadable file or folder below DATA does not stop it either: it is
/// listed as skipped. If the build stops, the previous index stays in place, intact. An up-to-date index is left alone,
/// unless the options request payload checks that it lacks, other columns, other derivations or another message: then
/// it is rebuilt.
///
/// A name in `columns` that no record has is an error, unless `columns_optional` is set: nothing is published, so that
/// a misspelt name does not replace a good index. So is a name in `derive` of which no record has bytes values. With
/// `message`, the names are checked against its descriptor and need no record.
///
/// If the build is killed or interrupted, the next build of the same index takes up the shards that it has finished
/// (index/resume/saved_shards.h), as far as the shards and the options are the same. Otherwise no other file remains.
///
/// With `part`, writes a part of an index, which has no map. It depends on the data and the options alone, like the
/// parts that other machines build of the same data. Names that no record of the part has are no error.
///
/// The keys that `keys` names are made once the index is published; those of the index that it replaces are removed,
/// unless they belong to the new one as well.
///
/// Errors: kUsage if no record has one of the names in `columns` or `keys`; kUsage and kFormat as in FindShards and
/// ProbeShards; kStale if an index exists, but for other shards or options (hint: --force); kIndex if the path of the
/// index or of its map belongs to some other file, which is never replaced; kLocked; kIo; kInterrupted.
[[nodiscard]] Result<BuildReport> BuildIndex(const BuildOptions& options, Progress& progress);

/// Sets what `writer` has written in `report`.
void TakeWritten(const IndexWriter& writer, BuildReport& report);

/// Returns the size of a file; 0 if there is none.
[[nodiscard]] uint64_t BytesOnDisk(const std::string& path);

/// Succeeds if each name in the report's choice of columns is a feature of some record, and each from which something
/// is derived has bytes values in some record, or the payloads are of a named message. Errors: kUsage, before the index
/// is published.
[[nodiscard]] Result<void> CheckColumns(const BuildReport& report);

/// Returns the names in the report's choice of columns that no record has, in byte order.
[[nodiscard]] std::vector<std::string> ColumnsInNoRecord(const BuildReport& report);

/// Returns the names of features from which something was to be derived, but of which no record has bytes values.
[[nodiscard]] std::vector<std::string> UnderivedFeatures(const BuildReport& report);

/// Returns "columns: no record has 'lable' (did you mean 'label'?) or 'x'" for `names`, which has at least one, and
/// "derive: no record has bytes in 'label', whose values are int64".
[[nodiscard]] std::string DescribeInNoRecord(const std::vector<std::string>& names, const BuildReport& report);
[[nodiscard]] std::string DescribeUnderived(const std::vector<std::string>& names, const BuildReport& report);

}  // namespace ofindex
