#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "index/keys/entry_sorter.h"
#include "query/audit/chosen_records.h"
#include "query/audit/column_numbers.h"
#include "query/audit/record_groups.h"
#include "query/audit/similarity_hash.h"
#include "query/dataset.h"
#include "query/decoding/feature_spec.h"
#include "query/sampling/sets/view.h"

namespace ofindex {

/// A dataset that is audited, or a view of it. Several views of one dataset are several sets.
struct AuditedSet {
  const Dataset* dataset = nullptr;         ///< must outlive the audit
  std::optional<View> rows = std::nullopt;  ///< only these records
};

/// How records of different bytes are found to be near.
struct NearRequest {
  /// Makes a hash of a byte string, SimilarityHash::kBytes bytes, as query/images/perceptual_hash.h does of images.
  /// Must outlive the audit. Null: records are equal by their bytes alone.
  const BytesDecoder* decoder = nullptr;
  unsigned distance = 0;  ///< the number of bits by which hashes may differ; at most SimilarityHash::kMaxDistance
};

struct AuditRequest {
  std::vector<AuditedSet> sets = {};  ///< at least one
  std::string feature = {};           ///< compares the byte strings of this feature; empty: payloads
  std::string label = {};     ///< the column whose values conflict if they differ among equal records; empty: none
  std::string split = {};     ///< the column whose value is the part of a dataset that a record belongs to; empty: none
  NearRequest near = {};      ///< compares the first byte string of `feature` by a similarity hash
  bool trust_hashes = false;  ///< takes records with the same hash for equal, without reading them
  std::string folder = "/tmp";                        ///< for a temporary file, if there are many records
  unsigned threads = 0;                               ///< 0: one per processor
  uint64_t memory_bytes = EntrySorter::kMemoryBytes;  ///< of hashes, beyond which they go to the temporary file
};

/// What was found in one set.
struct SetReport {
  std::string index;        ///< its path
  RecordFacts compared;     ///< how its records were compared
  uint64_t duplicates = 0;  ///< records in groups
  uint64_t repeats = 0;     ///< records of the group of an earlier record of this set: those to drop
  uint64_t leaks = 0;       ///< records of the group of a record in another part
};

/// One group of records with the same bytes, or, in an audit of what is near, with like ones.
struct GroupFacts {
  bool conflict = false;  ///< they have different labels; NULL is none
  bool leak = false;      ///< they are in different parts: sets, or values of the split column; NULL is none
};

struct AuditReport {
  std::vector<SetReport> sets;
  RecordNumbers numbers;
  RecordGroups groups;             ///< of at least two records, ascending by the first; each group ascending
  std::vector<GroupFacts> facts;   ///< of each group
  std::vector<uint8_t> distances;  ///< of groups.records(), if asked for what is near: bits to the nearest other one
  ColumnNumbers labels;            ///< of groups.records(), if a label was asked for
  ColumnNumbers splits;            ///< the same of the split
  uint64_t conflicts = 0;          ///< groups
  uint64_t leaks = 0;              ///< groups
  uint64_t collisions = 0;         ///< records whose hash another record with other bytes has
};

/// Finds the records with the same bytes, within and across datasets. Hashes that an index stores are taken from it;
/// records without one are read, and so are all records that share their hash with another, to compare their bytes. So
/// a group never has records with different bytes, unless the hashes are trusted. Bad records are not compared, and
/// neither are records without the feature. The report does not depend on the number of threads.
///
/// With `near`, all records are read, and two whose hashes are near are in one group, and so are all that such
/// pairs connect: two records of a group may be further apart. What has no such hash is compared by its bytes.
///
/// Memory: `memory_bytes` (what is near: some 120 for each record), what the columns of labels and splits take, and
/// some 50 bytes for each record in a group. Errors: kUsage if there is no such feature or column, or if a set is the
/// same as another; kStale if a shard was changed since it was indexed; kIndex, kIo, kLimit, kInterrupted.
[[nodiscard]] Result<AuditReport> Audit(const AuditRequest& request, Progress& progress);

/// What an audit says of one record of a set, for columns of it. Records without are like `RecordVerdict{}`.
struct RecordVerdict {
  uint64_t ordinal = 0;
  uint64_t duplicates = 1;                          ///< records of the set in its group, itself included
  bool first = true;                                ///< the first of them
  uint64_t leaks = 0;                               ///< records of its group in other parts
  bool conflict = false;                            ///< some records of its group have different labels
  std::optional<unsigned> distance = std::nullopt;  ///< bits to the nearest other record of its group, if near

  /// Returns the share of the record if all records of its group count as one.
  [[nodiscard]] double weight() const { return 1.0 / static_cast<double>(duplicates); }
};

/// Returns the verdicts on the records of set `set` that are in groups, by ordinal.
[[nodiscard]] std::vector<RecordVerdict> VerdictsOn(const AuditReport& report, size_t set);

}  // namespace ofindex
