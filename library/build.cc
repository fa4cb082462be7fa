#include <algorithm>

#include <ofindex/build.h>

#include "index/build/builder.h"
#include "index/verify/verifier.h"
#include "library/convert.h"
#include "library/internals.h"

namespace ofindex::v1 {
namespace {

ofindex::Result<std::optional<ColumnChoice>> ColumnsOf(const BuildOptions& options) {
  if (options.columns.empty() && options.auto_columns) return std::optional<ColumnChoice>();
  ColumnChoice choice;
  choice.mode = options.auto_columns      ? ColumnChoice::Mode::kAuto
                : options.columns.empty() ? ColumnChoice::Mode::kNone
                                          : ColumnChoice::Mode::kNamed;
  choice.names = options.columns;
  std::sort(choice.names.begin(), choice.names.end());
  choice.names.erase(std::unique(choice.names.begin(), choice.names.end()), choice.names.end());
  // The index stores the choice as text; parsing the text checks its limits.
  OFINDEX_ASSIGN(choice, ColumnChoice::Parse(choice.Text()));
  return std::optional(std::move(choice));
}

ofindex::Result<ofindex::BuildOptions> Engine(const BuildOptions& options) {
  if (options.framing == Framing::kEmpty) {
    return Fail(ofindex::ErrorCode::kUsage, "framing: kEmpty; expected kTfRecord or kOfRecord");
  }
  ofindex::BuildOptions found;
  found.data = options.data;
  found.index = options.index;
  found.verify = options.verify;
  found.force = options.force;
  found.if_locked = options.wait_if_locked ? AtomicFile::IfLocked::kWait : AtomicFile::IfLocked::kFail;
  OFINDEX_ASSIGN(found.columns, ColumnsOf(options));
  if (!options.derive.empty()) {
    OFINDEX_ASSIGN(found.derive, Derivations::Of(options.derive));
  }
  found.keys = options.keys;
  if (options.framing) found.format.framing = Engine(*options.framing);
  if (options.payload) found.format.payload = Engine(*options.payload);
  if (options.compression) found.format.compression = Engine(*options.compression);
  found.descriptor = options.descriptor;
  found.message = options.message;
  found.threads = options.threads;
  OFINDEX_ASSIGN(found.inflate, InflateOf(options.max_ratio, options.max_inflated_bytes));
  return found;
}

}  // namespace

Progress::Progress() : state_(std::make_unique<State>()) {}
Progress::~Progress() = default;

void Progress::Cancel() { state_->progress.cancel = true; }
uint64_t Progress::bytes_total() const { return state_->progress.bytes_total; }
uint64_t Progress::bytes_done() const { return state_->progress.bytes_done; }
uint64_t Progress::records_done() const { return state_->progress.records_done; }

Result<BuildReport> BuildIndex(const BuildOptions& options, Progress* progress) {
  return Attempt([&]() -> ofindex::Result<BuildReport> {
    ofindex::Progress unobserved;
    OFINDEX_ASSIGN(const ofindex::BuildOptions taken, Engine(options));
    OFINDEX_ASSIGN(const ofindex::BuildReport report,
                   BuildIndex(taken, progress == nullptr ? unobserved : Internals::Of(*progress)));
    const std::vector<ShardRow> none_gone;
    return BuildReport{.info = Public(CatalogRows{report.index, report.facts, report.shards, none_gone, report.features,
                                                  report.bad, report.damage, report.skipped}),
                       .was_up_to_date = report.was_up_to_date,
                       .missing = report.missing};
  });
}

Result<VerifyReport> Verify(const Dataset& dataset, const VerifyOptions& options, Progress* progress) {
  return Attempt([&]() -> ofindex::Result<VerifyReport> {
    ofindex::Progress unobserved;
    const OpenedDataset& opened = *Internals::Of(dataset);
    const ofindex::VerifyOptions taken{.index = opened.dataset().index_path(),
                                       .opened = opened.index(),
                                       .root = opened.root(),
                                       .quick = options.quick,
                                       .threads = options.threads};
    OFINDEX_ASSIGN(const ofindex::VerifyReport report,
                   VerifyDataset(taken, progress == nullptr ? unobserved : Internals::Of(*progress)));
    VerifyReport found{.records_checked = report.records_checked,
                       .bytes_checked = report.bytes_checked,
                       .all_payloads_checked = report.all_payloads_checked,
                       .bad = {},
                       .stale = {},
                       .damage = Public(report.damage, report.shards),
                       .map_damage = report.map_damage,
                       .key_damage = report.key_damage,
                       .attached_damage = report.attached_damage};
    for (const ofindex::VerifyReport::Bad& one : report.bad) {
      found.bad.push_back({.record = one.record,
                           .shard = report.shards[one.shard].path,
                           .offset = one.offset,
                           .reason = std::string(Name(one.fault))});
    }
    for (StaleFile& file : StaleFiles(report)) {
      found.stale.push_back({.path = std::move(file.path), .reason = std::move(file.reason)});
    }
    return found;
  });
}

}  // namespace ofindex::v1
