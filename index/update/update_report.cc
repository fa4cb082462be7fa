#include "index/update/update_report.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "base/text.h"

namespace ofindex {
namespace {

// Returns the SQL names of all columns.
std::set<std::string> ColumnsOf(const std::vector<FeatureRow>& features) {
  std::set<std::string> names;
  for (const FeatureRow& row : features) {
    if (row.present == 0) continue;
    for (std::string& name : ColumnNamesOf(row)) names.insert(std::move(name));
  }
  return names;
}

}  // namespace

// A shard that has become a file of another kind has changed, and has no records.
void AddShards(const UpdatePlan& plan, const std::vector<uint64_t>& added_records, UpdateReport& report) {
  std::map<std::string_view, ShardChange> found;
  for (size_t i = 0; i < plan.found.size(); ++i) {
    found.emplace(plan.found[i].file.stored_path, plan.changes.found[i].change);
  }
  std::map<uint32_t, uint64_t> grown;  // new records, by first piece
  std::set<std::string_view> scanned;
  for (size_t i = 0; i < plan.added.size(); ++i) {
    const NewPiece& piece = plan.added[i];
    report.new_records += added_records[i];
    if (piece.grown) {
      grown.emplace(*piece.grown, added_records[i]);
      continue;
    }
    const std::string& path = piece.shard.file.stored_path;
    scanned.insert(path);
    report.shards.push_back({.change = found.at(path) == ShardChange::kNew ? ShardChange::kNew : ShardChange::kChanged,
                             .path = path,
                             .records = added_records[i],
                             .new_records = added_records[i]});
  }
  for (size_t i = 0; i < plan.known.size(); ++i) {
    const KnownShard& shard = plan.known[i];
    const ShardDecision& decision = plan.changes.known[i];
    ChangedShard changed{.change = decision.change, .path = shard.path, .records = shard.records};
    const PieceFate& fate = plan.pieces[shard.first_piece];
    if (fate.goes) report.gone_records += shard.records;
    switch (decision.change) {
      case ShardChange::kUnchanged:
      case ShardChange::kTouched: ++report.unchanged; continue;
      case ShardChange::kGone:
      case ShardChange::kNew: continue;
      case ShardChange::kGrown:
        if (fate.cut_at) {
          changed.new_records = grown.at(shard.first_piece);
          changed.records += changed.new_records;
          break;
        }
        [[fallthrough]];
      case ShardChange::kRefilled:
      case ShardChange::kChanged:
        if (scanned.contains(plan.found[*decision.other].file.stored_path)) continue;
        changed.change = ShardChange::kChanged;
        changed.records = 0;
        break;
      default: break;
    }
    if (fate.path != shard.path) changed.before = std::exchange(changed.path, fate.path);
    report.shards.push_back(std::move(changed));
  }
  std::stable_sort(report.shards.begin(), report.shards.end(),
                   [](const ChangedShard& a, const ChangedShard& b) { return NaturalLess(a.path, b.path); });
}

void KeepNewFindings(const UpdatePlan& plan, BuildReport& written) {
  std::map<std::string_view, uint64_t> read;  // where the walk began, by path
  for (const NewPiece& piece : plan.added) read.emplace(piece.shard.file.stored_path, piece.shard.range.begin);
  const auto is_known = [&](uint32_t shard, uint64_t position) {
    const auto begin = read.find(written.shards[shard].path);
    return begin == read.end() || position < begin->second;
  };
  std::erase_if(written.damage, [&](const DamageRow& row) { return is_known(row.shard, row.range.begin); });
  std::erase_if(written.bad, [&](const BadRow& row) { return is_known(row.shard, row.offset); });
}

void AddColumnChanges(const std::vector<FeatureRow>& before, UpdateReport& report) {
  const std::set<std::string> old_names = ColumnsOf(before);
  const std::set<std::string> new_names = ColumnsOf(report.written.features);
  std::set_difference(new_names.begin(), new_names.end(), old_names.begin(), old_names.end(),
                      std::back_inserter(report.columns_added));
  std::set_difference(old_names.begin(), old_names.end(), new_names.begin(), new_names.end(),
                      std::back_inserter(report.columns_removed));
}

Result<std::vector<SkippedFile>> NewlySkipped(MergeSource& source, const std::vector<SkippedFile>& skipped) {
  OFINDEX_ASSIGN(const std::vector<SkippedFile> before, source.ReadSkipped());
  std::set<std::pair<std::string_view, std::string_view>> listed;
  for (const SkippedFile& file : before) listed.emplace(file.path, file.reason);
  std::vector<SkippedFile> added = skipped;
  std::erase_if(added, [&](const SkippedFile& file) { return listed.contains({file.path, file.reason}); });
  return added;
}

}  // namespace ofindex
