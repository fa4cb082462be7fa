#include "tools/report_page/page_facts.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "query/audit/audit.h"
#include "tools/report/audit_report.h"

namespace ofindex {
namespace {

Result<EqualRecords> FindEqualRecords(const Dataset& dataset, Progress& progress) {
  AuditRequest request{.trust_hashes = true};
  request.sets.push_back({.dataset = &dataset});
  std::error_code error;
  if (const auto folder = std::filesystem::temp_directory_path(error); !error) request.folder = folder.string();
  OFINDEX_ASSIGN(const AuditReport report, Audit(request, progress));
  EqualRecords equal{.groups = report.groups.size(), .repeats = report.sets[0].repeats};
  for (const size_t group : LargestGroups(report, EqualRecords::kShownGroups)) {
    const auto records = report.groups[group];
    const auto first = records.first(std::min(records.size(), EqualRecords::kShownRecords));
    equal.largest.push_back({.size = records.size(), .first = {first.begin(), first.end()}});
  }
  return equal;
}

}  // namespace

Result<PageFacts> ReadPageFacts(const Dataset& dataset, Progress& progress) {
  const Snapshot& snapshot = *dataset.snapshot();
  OFINDEX_ASSIGN(const std::shared_ptr<SharedCatalog> catalog, snapshot.Catalog());
  OFINDEX_ASSIGN(const std::shared_ptr<ColumnStore> store, snapshot.Columns());
  PageFacts facts;
  facts.name = std::filesystem::path(snapshot.path()).filename().string();
  facts.index_bytes = snapshot.index()->size();
  facts.dataset = catalog->facts();
  facts.generation = catalog->generations().back().number;
  facts.shards = catalog->shards();
  facts.gone = catalog->gone();
  facts.features = FeaturesByName(store->features());
  OFINDEX_ASSIGN(facts.damage, catalog->Damage());
  OFINDEX_ASSIGN(facts.bad, catalog->Bad());
  OFINDEX_ASSIGN(facts.skipped, catalog->Skipped());
  OFINDEX_ASSIGN(facts.states, StatesOfShards(dataset, progress));
  if (store->has_hashes()) {
    OFINDEX_ASSIGN(facts.equal, FindEqualRecords(dataset, progress));
  }
  return facts;
}

}  // namespace ofindex
