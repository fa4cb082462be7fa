#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "index/catalog/catalog.h"
#include "index/database/index_file.h"
#include "index/scan/block_check.h"

namespace ofindex {

struct VerifyOptions {
  std::string index;
  std::shared_ptr<const IndexFile> opened = nullptr;  ///< the index, if it is open; otherwise the one at `index`
  std::string root;      ///< folder that holds a copy of the dataset; empty: the place given in the index
  bool quick = false;    ///< fingerprints only
  unsigned threads = 0;  ///< 0: one per processor
};

/// The reason given for each file in VerifyReport::unindexed.
inline constexpr char kNotInIndex[] = "a record file that is not in the index";

/// Result of comparing shards and index.
struct VerifyReport {
  struct Bad {
    uint64_t record;
    uint32_t shard;
    uint64_t offset;
    RecordFault fault;
  };
  struct Stale {
    uint32_t shard;
    std::string reason;
  };

  uint64_t records_checked = 0;
  uint64_t bytes_checked = 0;  ///< of records, framing included
  std::vector<ShardRow> shards;
  uint64_t gone_records = 0;            ///< in shards that were missing at an update, and are not checked
  std::vector<Bad> bad;                 ///< ascending
  std::vector<Stale> stale;             ///< ascending: shards that are missing or no longer the indexed files
  std::vector<Stale> failed;            ///< ascending: shards that cannot be read
  std::vector<std::string> unindexed;   ///< record files in DATA that are not in the index; relative to the index
  std::vector<SkippedFile> unreadable;  ///< unreadable files in DATA, which may be anything
  std::vector<DamageRow> damage;        ///< as listed in the index
  uint64_t empty_of_records = 0;        ///< empty OFRecords: valid, but fatal to OneFlow's reader
  bool all_payloads_checked = true;     ///< every payload was read and compared with a checksum
  std::string map_damage;               ///< what is wrong with the map next to the index; empty if nothing
  std::vector<std::string> key_damage;  ///< what is wrong with keys next to the index; those of another build, too
  std::string attached_damage;          ///< what is wrong with attached columns next to the index; empty if nothing
  bool lacks_checksums = false;         ///< some payloads have no checksum, in the file or in the index

  [[nodiscard]] bool clean() const {
    return bad.empty() && stale.empty() && failed.empty() && unindexed.empty() && unreadable.empty() &&
           damage.empty() && map_damage.empty() && key_damage.empty() && attached_damage.empty();
  }
};

/// Checks the index itself, every row against its checksum, the map, the keys and the attached columns next to it; then
/// every shard against the index: its fingerprint, whatever its mtime, and, unless `quick`, each record's header and
/// checksums. A shard whose size has changed is stale and not read further; so is a shard that is truncated while it is
/// read. A changed shard of the same size is read, so that the report lists the changed records. Then searches the DATA
/// that the index was built from, as far as it still exists, for record files that are not in the index. An unreadable
/// shard does not stop the others from being checked. Errors: kNotFound, kIndex; kIo if the index cannot be read;
/// kStale if the index was rewritten meanwhile; kLimit, kInterrupted.
[[nodiscard]] Result<VerifyReport> VerifyDataset(const VerifyOptions& options, Progress& progress);

/// A file of DATA that differs from what was indexed, and why.
struct StaleFile {
  std::string path;
  std::string reason;
};

/// Returns the files that keep `report` from being clean, apart from bad records: stale, failed, unindexed, unreadable.
[[nodiscard]] std::vector<StaleFile> StaleFiles(const VerifyReport& report);

}  // namespace ofindex
