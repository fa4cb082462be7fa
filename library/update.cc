#include <algorithm>
#include <array>
#include <utility>

#include <ofindex/update.h>

#include "index/finding/resolve_index.h"
#include "index/update/updater.h"
#include "library/convert.h"
#include "library/internals.h"

namespace ofindex::v1 {
namespace {

// The changes of the engine that a report lists, with their public numbers.
constexpr std::array kChanges = {
    std::pair(ofindex::ShardChange::kNew, ShardChange::kNew),
    std::pair(ofindex::ShardChange::kGrown, ShardChange::kGrown),
    std::pair(ofindex::ShardChange::kChanged, ShardChange::kChanged),
    std::pair(ofindex::ShardChange::kMoved, ShardChange::kMoved),
    std::pair(ofindex::ShardChange::kRestored, ShardChange::kRestored),
    std::pair(ofindex::ShardChange::kMissing, ShardChange::kMissing),
    std::pair(ofindex::ShardChange::kUnreadable, ShardChange::kUnreadable),
};
static_assert(kChanges.size() == kListedChanges.size());

UpdateReport ReportOf(const ofindex::UpdateReport& report) {
  const ofindex::BuildReport& written = report.written;
  UpdateReport found{.index = written.index,
                     .was_up_to_date = written.was_up_to_date,
                     .generation = report.generation,
                     .records = written.facts.records,
                     .new_records = report.new_records,
                     .gone_records = report.gone_records,
                     .renumbered = report.renumbered,
                     .pruned_records = report.pruned_records,
                     .map_damage = written.map_damage,
                     .shards = {},
                     .bad = v1::Public(written.bad, written.shards),
                     .damage = v1::Public(written.damage, written.shards),
                     .skipped = v1::Public(written.skipped),
                     .missing = written.missing,
                     .columns_added = report.columns_added,
                     .columns_removed = report.columns_removed};
  for (const ChangedShard& shard : report.shards) {
    const auto* const change =
        std::find_if(kChanges.begin(), kChanges.end(), [&](const auto& pair) { return pair.first == shard.change; });
    if (change == kChanges.end()) continue;
    found.shards.push_back({change->second, shard.path, shard.before, shard.records, shard.new_records});
  }
  return found;
}

}  // namespace

std::string_view Name(ShardChange change) {
  for (const auto& [engine, name] : kChanges) {
    if (name == change) return ofindex::Name(engine);
  }
  return "unknown";
}

Result<UpdateReport> UpdateIndex(const UpdateOptions& options, Progress* progress) {
  return Attempt([&]() -> ofindex::Result<UpdateReport> {
    ofindex::Progress unobserved;
    OFINDEX_ASSIGN(std::string index, ResolveIndex(options.index));
    OFINDEX_ASSIGN(const InflateOptions inflate, InflateOf(options.max_ratio, options.max_inflated_bytes));
    const ofindex::UpdateOptions taken{
        .index = std::move(index),
        .data = options.data,
        .verify = options.verify,
        .prune = options.prune,
        .threads = options.threads,
        .inflate = inflate,
        .if_locked = options.wait_if_locked ? AtomicFile::IfLocked::kWait : AtomicFile::IfLocked::kFail};
    OFINDEX_ASSIGN(const ofindex::UpdateReport report,
                   UpdateIndex(taken, progress == nullptr ? unobserved : Internals::Of(*progress)));
    return ReportOf(report);
  });
}

}  // namespace ofindex::v1
