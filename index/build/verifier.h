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
  std::shared_ptr<const IndexFile> opened = nullptr;  ///< the index, if it is open; else the one at `index`
  std::string root;      ///< folder that holds a copy of the dataset; empty: where the index says
  bool quick = false;    ///< fingerprints alone
  unsigned threads = 0;  ///< 0: as many as there are processors
};

/// The reason that is given for each of VerifyReport::unindexed.
inline constexpr char kNotInIndex[] = "a record file that is not in the index";

/// What a comparison of shards and index found.
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
  std::vector<Bad> bad;                ///< ascending
  std::vector<Stale> stale;            ///< ascending: shards that are missing, or no longer the files that were indexed
  std::vector<Stale> failed;           ///< ascending: shards that cannot be read
  std::vector<std::string> unindexed;  ///< record files in DATA that the index does not have; relative to the index
  std::vector<SkippedFile> unreadable;  ///< files in DATA that cannot be read, so that nobody knows what they are
  std::vector<DamageRow> damage;        ///< as the index has it
  uint64_t empty_of_records = 0;        ///< empty OFRecords: sound, but OneFlow's reader dies of them
  bool all_payloads_checked = true;     ///< every payload was read and compared with a checksum
  std::string map_damage;               ///< what is wrong with the map beside the index; empty if nothing is
  bool lacks_checksums = false;         ///< some payloads have no checksum, neither in the file nor in the index

  [[nodiscard]] bool clean() const {
    return bad.empty() && stale.empty() && failed.empty() && unindexed.empty() && unreadable.empty() &&
           damage.empty() && map_damage.empty();
  }
};

/// Checks the index itself, every row of it against its checksum, the map beside it, and then every shard with what the
/// index says of it: its fingerprint, whatever its mtime; and unless `quick`, each record's header and checksums. A
/// shard of another size is stale, and not read further, as is one that is cut while it is read; one of the same size
/// is read, so that the report says which records have changed. Then searches the DATA that the index was built of, as
/// far as it is still there, for record files that the index does not have. A shard that cannot be read does not keep
/// the others from being checked. Errors: kNotFound, kIndex; kIo  of the index; kStale  the index was rewritten
/// meanwhile; kLimit, kInterrupted.
[[nodiscard]] Result<VerifyReport> VerifyDataset(const VerifyOptions& options, Progress& progress);

/// A file of DATA that is not what was indexed, and why.
struct StaleFile {
  std::string path;
  std::string reason;
};

/// Returns the files that keep `report` from being clean, whatever their records: stale, failed, unindexed, unreadable.
[[nodiscard]] std::vector<StaleFile> StaleFiles(const VerifyReport& report);

}  // namespace ofindex
