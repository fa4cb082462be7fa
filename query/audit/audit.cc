#include "query/audit/audit.h"

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <span>
#include <utility>

#include "base/allocation.h"
#include "base/file.h"
#include "base/text.h"
#include "base/threads.h"
#include "query/audit/compared_bytes.h"
#include "query/audit/confirm_groups.h"
#include "query/audit/hash_source.h"
#include "query/audit/near_groups.h"
#include "query/audit/similarity_source.h"

namespace ofindex {
namespace {

// A part of the records across which duplicates are leaks: a set, and a number of the split column.
using AuditedPart = std::pair<size_t, uint32_t>;

RecordGroups SortedByFirst(const RecordGroups& groups) {
  std::vector<size_t> order(groups.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return groups[a].front() < groups[b].front(); });
  RecordGroups sorted;
  for (const size_t group : order) sorted.Add(groups[group]);
  return sorted;
}

// Every record of a set that is given twice would be a duplicate of itself.
Result<void> CheckDistinct(const std::vector<AuditedSet>& sets) {
  std::set<std::pair<uint64_t, uint64_t>> files;
  for (const AuditedSet& set : sets) {
    if (set.rows) continue;
    OFINDEX_ASSIGN(const FileFacts facts, set.dataset->snapshot()->index()->file().Facts());
    if (files.emplace(facts.device, facts.inode).second) continue;
    return Fail(ErrorCode::kUsage,
                StrCat(Printable(set.dataset->index_path()),
                       ": given twice, so that each record would be a duplicate of itself; expected different indexes"),
                "name each index once: an audit of one finds the duplicates within it");
  }
  return {};
}

// Returns the part of the record at place `at` of all records in groups; nullopt if it is in none.
std::optional<AuditedPart> PartOf(const AuditReport& report, size_t set, uint64_t at) {
  if (report.splits.numbers.empty()) return AuditedPart(set, ColumnNumbers::kNull);
  const uint32_t number = report.splits.numbers[at];
  return number == ColumnNumbers::kNull ? std::nullopt : std::optional(AuditedPart(set, number));
}

// Counts the records of a group in their sets, and returns what is wrong with it.
GroupFacts Examine(AuditReport& report, size_t group) {
  const std::span<const uint64_t> records = report.groups[group];
  const uint64_t begin = report.groups.BeginOf(group);
  GroupFacts facts;
  uint32_t label = ColumnNumbers::kNull;
  std::optional<AuditedPart> part;
  std::optional<size_t> set_before;
  for (size_t i = 0; i < records.size(); ++i) {
    const size_t set = report.numbers.At(records[i]).set;
    ++report.sets[set].duplicates;
    if (set_before == set) ++report.sets[set].repeats;
    set_before = set;
    const uint32_t own_label = report.labels.numbers.empty() ? ColumnNumbers::kNull : report.labels.numbers[begin + i];
    if (own_label != ColumnNumbers::kNull) {
      facts.conflict = facts.conflict || (label != ColumnNumbers::kNull && own_label != label);
      label = own_label;
    }
    if (const std::optional<AuditedPart> own_part = PartOf(report, set, begin + i)) {
      facts.leak = facts.leak || (part && part != own_part);
      part = own_part;
    }
  }
  for (size_t i = 0; i < records.size() && facts.leak; ++i) {
    const size_t set = report.numbers.At(records[i]).set;
    if (PartOf(report, set, begin + i)) ++report.sets[set].leaks;
  }
  return facts;
}

Result<std::optional<NamedColumns>> ColumnsOf(const std::string& name, std::span<const Dataset* const> datasets) {
  if (name.empty()) return std::nullopt;
  OFINDEX_ASSIGN(NamedColumns columns, NamedColumns::Open(name, datasets));
  return columns;
}

// Sets the groups of records with the same bytes.
Result<void> FindEqual(const AuditRequest& request, const std::vector<ComparedBytes>& bytes, unsigned threads,
                       AuditReport& report, Progress& progress) {
  EntrySorter sorter(request.folder, request.memory_bytes);
  for (size_t i = 0; i < request.sets.size(); ++i) {
    const AuditedSet& set = request.sets[i];
    const HashRequest wanted{.dataset = set.dataset,
                             .rows = set.rows ? &*set.rows : nullptr,
                             .first_number = report.numbers.FirstOf(i),
                             .check_shards = !request.trust_hashes,
                             .threads = threads};
    OFINDEX_ASSIGN(report.sets[i].compared, CollectHashes(wanted, bytes[i], sorter, progress));
  }
  OFINDEX_ASSIGN(RecordGroups candidates, GroupsByHash(sorter, progress));
  candidates = SortedByFirst(candidates);  // records are read in nearly their order
  if (request.trust_hashes) {
    report.groups = std::move(candidates);
    return {};
  }
  OFINDEX_ASSIGN(const ConfirmedGroups confirmed, ConfirmGroups(candidates, report.numbers, bytes, threads, progress));
  report.groups = SortedByFirst(confirmed.groups);
  report.collisions = confirmed.collisions;
  return {};
}

// Sets the groups of records with like hashes.
Result<void> FindNear(const AuditRequest& request, const std::vector<ComparedBytes>& bytes, unsigned threads,
                      AuditReport& report, Progress& progress) {
  std::vector<SimilarityEntry> entries;
  for (size_t i = 0; i < request.sets.size(); ++i) {
    const AuditedSet& set = request.sets[i];
    const SimilarityRequest wanted{.dataset = set.dataset,
                                   .rows = set.rows ? &*set.rows : nullptr,
                                   .first_number = report.numbers.FirstOf(i),
                                   .decoder = request.near.decoder,
                                   .threads = threads};
    OFINDEX_ASSIGN(report.sets[i].compared, CollectSimilarity(wanted, bytes[i], entries, progress));
    if (entries.size() > kMaxNearEntries) {
      return Fail(ErrorCode::kLimit,
                  StrCat(Printable(report.sets[i].index), ": ", FormatCount(entries.size()),
                         " images to compare, with those of the indexes before it; expected at most ",
                         FormatCount(kMaxNearEntries)),
                  "audit fewer indexes at once");
    }
  }
  OFINDEX_ASSIGN(NearGroups found, GroupNear(std::move(entries), request.near.distance, threads, progress));
  report.groups = std::move(found.groups);
  report.distances = std::move(found.distances);
  return {};
}

Result<void> CheckNear(const AuditRequest& request) {
  if (request.feature.empty()) {
    return Fail(ErrorCode::kUsage,
                StrCat(Printable(request.sets.front().dataset->index_path()),
                       ": whole payloads are not images; expected the name of a feature of images"),
                "`ofindex schema` lists the features and their kinds");
  }
  if (request.near.distance <= SimilarityHash::kMaxDistance) return {};
  return Fail(ErrorCode::kUsage, StrCat("distance ", request.near.distance, ": expected 0 to ",
                                        SimilarityHash::kMaxDistance, " bits, by which like images differ"));
}

Result<AuditReport> RunAudit(const AuditRequest& request, Progress& progress) {
  OFINDEX_TRY(CheckDistinct(request.sets));
  const bool is_near = request.near.decoder != nullptr;
  if (is_near) OFINDEX_TRY(CheckNear(request));
  const unsigned threads = request.threads != 0 ? request.threads : ProcessorCount();
  AuditReport report;
  std::vector<ComparedBytes> bytes;
  std::vector<const Dataset*> datasets;
  for (const AuditedSet& set : request.sets) {
    OFINDEX_ASSIGN(ComparedBytes compared, ComparedBytes::Open(*set.dataset, request.feature));
    bytes.push_back(std::move(compared));
    datasets.push_back(set.dataset);
    report.numbers.Add(set.dataset->size());
    report.sets.push_back({.index = set.dataset->index_path(), .compared = {}});
  }
  // Found before the records are read, which may take long.
  OFINDEX_ASSIGN(const std::optional<NamedColumns> labels, ColumnsOf(request.label, datasets));
  OFINDEX_ASSIGN(const std::optional<NamedColumns> splits, ColumnsOf(request.split, datasets));
  OFINDEX_TRY((is_near ? FindNear : FindEqual)(request, bytes, threads, report, progress));
  const std::vector<uint64_t>& records = report.groups.records();
  if (labels) {
    OFINDEX_ASSIGN(report.labels, labels->NumbersOf(report.numbers, records, progress));
  }
  if (splits) {
    OFINDEX_ASSIGN(report.splits, splits->NumbersOf(report.numbers, records, progress));
  }
  for (size_t group = 0; group < report.groups.size(); ++group) {
    const GroupFacts facts = report.facts.emplace_back(Examine(report, group));
    report.conflicts += facts.conflict ? 1 : 0;
    report.leaks += facts.leak ? 1 : 0;
  }
  return report;
}

}  // namespace

Result<AuditReport> Audit(const AuditRequest& request, Progress& progress) {
  return WithMemory("an audit", [&] { return RunAudit(request, progress); });
}

std::vector<RecordVerdict> VerdictsOn(const AuditReport& report, size_t set) {
  std::vector<RecordVerdict> verdicts;
  std::map<AuditedPart, uint64_t> parts;  // of the group, with the number of their records
  for (size_t group = 0; group < report.groups.size(); ++group) {
    const std::span<const uint64_t> records = report.groups[group];
    const uint64_t begin = report.groups.BeginOf(group);
    uint64_t in_set = 0;
    uint64_t in_parts = 0;
    parts.clear();
    for (size_t i = 0; i < records.size(); ++i) {
      const size_t own_set = report.numbers.At(records[i]).set;
      in_set += own_set == set ? 1 : 0;
      const std::optional<AuditedPart> part = PartOf(report, own_set, begin + i);
      if (!part) continue;
      ++in_parts;
      ++parts[*part];
    }
    bool first = true;
    for (size_t i = 0; i < records.size() && in_set != 0; ++i) {
      const RecordNumbers::Place place = report.numbers.At(records[i]);
      if (place.set != set) continue;
      const std::optional<AuditedPart> part = PartOf(report, set, begin + i);
      verdicts.push_back(
          {.ordinal = place.ordinal,
           .duplicates = in_set,
           .first = std::exchange(first, false),
           .leaks = part ? in_parts - parts[*part] : 0,
           .conflict = report.facts[group].conflict,
           .distance = report.distances.empty() ? std::nullopt : std::optional<unsigned>(report.distances[begin + i])});
    }
  }
  std::sort(verdicts.begin(), verdicts.end(),
            [](const RecordVerdict& a, const RecordVerdict& b) { return a.ordinal < b.ordinal; });
  return verdicts;
}

}  // namespace ofindex
