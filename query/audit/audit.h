#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "query/audit/column_numbers.h"
#include "query/audit/hash_source.h"
#include "query/audit/record_groups.h"
#include "query/dataset.h"
#include "query/sampling/sets/view.h"

namespace ofindex {

/// A dataset that is audited, or a view of it. Several views of one dataset are several sets.
struct AuditedSet {
  const Dataset* dataset = nullptr;         ///< must outlive the audit
  std::optional<View> rows = std::nullopt;  ///< only these records
};

struct AuditRequest {
  std::vector<AuditedSet> sets = {};
  std::string feature = {};   ///< compares the byte strings of this feature; empty: payloads
  std::string label = {};     ///< the column whose values conflict if they differ among equal records; empty: none
  std::string split = {};     ///< the column whose value is the part of a dataset that a record belongs to; empty: none
  bool trust_hashes = false;  ///< takes records with the same hash for equal, without reading them
  std::string folder = "/tmp";                        ///< for a temporary file, if there are many records
  unsigned threads = 0;                               ///< 0: one per processor
  uint64_t memory_bytes = EntrySorter::kMemoryBytes;  ///< of hashes, beyond which they go to the temporary file
};

/// What was found in one set.
struct SetReport {
  std::string index;        ///< its path
  HashFacts hashes;         ///< how its records were compared
  uint64_t duplicates = 0;  ///< records in groups
  uint64_t repeats = 0;     ///< records with the bytes of an earlier record of this set: those to drop
  uint64_t leaks = 0;       ///< records with the bytes of a record in another part
};

/// One group of records with the same bytes.
struct GroupFacts {
  bool conflict = false;  ///< they have different labels; NULL is none
  bool leak = false;      ///< they are in different parts: sets, or values of the split column; NULL is none
};

struct AuditReport {
  std::vector<SetReport> sets;
  RecordNumbers numbers;
  RecordGroups groups;            ///< of at least two records, ascending by the first; each group ascending
  std::vector<GroupFacts> facts;  ///< of each group
  ColumnNumbers labels;           ///< of groups.records(), if a label was asked for
  ColumnNumbers splits;           ///< the same of the split
  uint64_t conflicts = 0;         ///< groups
  uint64_t leaks = 0;             ///< groups
  uint64_t collisions = 0;        ///< records whose hash another record with other bytes has
};

/// Finds the records with the same bytes, within and across datasets. Hashes that an index stores are taken from it;
/// records without one are read, and so are all records that share their hash with another, to compare their bytes. So
/// a group never has records with different bytes, unless the hashes are trusted. Bad records are not compared, and
/// neither are records without the feature. The report does not depend on the number of threads.
///
/// Memory: `memory_bytes`, what the columns of labels and splits take, and some 50 bytes for each record in a group.
/// Errors: kUsage if there is no such feature or column, or if a set is the same as another; kStale if a shard was
/// changed since it was indexed; kIndex, kIo, kLimit, kInterrupted.
[[nodiscard]] Result<AuditReport> Audit(const AuditRequest& request, Progress& progress);

/// What an audit says of one record of a set, for columns of it. Records without are like `RecordVerdict{}`.
struct RecordVerdict {
  uint64_t ordinal = 0;
  uint64_t duplicates = 1;  ///< records of the set with its bytes, itself included
  bool first = true;        ///< the first of them
  uint64_t leaks = 0;       ///< records with its bytes in other parts
  bool conflict = false;    ///< some record with its bytes has another label

  /// Returns the share of the record if all records with its bytes count as one.
  [[nodiscard]] double weight() const { return 1.0 / static_cast<double>(duplicates); }
};

/// Returns the verdicts on the records of set `set` that are in groups, by ordinal.
[[nodiscard]] std::vector<RecordVerdict> VerdictsOn(const AuditReport& report, size_t set);

}  // namespace ofindex
