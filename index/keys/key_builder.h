#pragma once

#include <memory>
#include <string>

#include "base/progress.h"
#include "base/result.h"
#include "index/database/index_file.h"
#include "index/keys/entry_sorter.h"
#include "index/keys/key_format.h"
#include "index/output/atomic_file.h"
#include "mmap/offsets/offset_map.h"

namespace ofindex {

struct KeyOptions {
  std::string name = {};  ///< of the feature
  unsigned threads = 0;   ///< that may compute at once; 0: one per processor
  AtomicFile::IfLocked if_locked = AtomicFile::IfLocked::kFail;
  AtomicFile::Durability durability = AtomicFile::Durability::kDurable;
  uint64_t memory_bytes = EntrySorter::kMemoryBytes;  ///< of entries, beyond which they go to a temporary file
  uint8_t max_hash_bits = 64;                         ///< fewer make collisions, for tests
};

/// A key that was made.
struct KeyReport {
  std::string path;
  KeyFacts facts;
  uint64_t bytes = 0;
};

/// Makes the key of an open index by one feature, and publishes it next to the index, in place of an older one. Reads
/// the feature's column or, if it does not hold all values, that feature from the records. The file depends on the
/// index alone, not on the number of threads. If it fails or is killed, an older key stays as it is.
///
/// Errors: those of KeyValues; kLocked; kStale if the index was replaced meanwhile; kUsage if a foreign file has the
/// key's name; kIo, kInterrupted.
[[nodiscard]] Result<KeyReport> BuildKey(const std::shared_ptr<const IndexFile>& index,
                                         const std::shared_ptr<const OffsetMap>& map, const KeyOptions& options,
                                         Progress& progress);

}  // namespace ofindex
