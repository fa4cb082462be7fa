#include "python/src/auditing/auditing.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "python/src/columns/listing.h"
#include "python/src/convert/arrays.h"
#include "python/src/convert/bytes.h"
#include "python/src/convert/values.h"
#include "python/src/interpreter/errors.h"
#include "python/src/interpreter/interruptible.h"
#include "python/src/records/rows.h"
#include "python/src/records/source.h"
#include "query/audit/audit.h"
#include "query/images/perceptual_hash.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace ofindex::python {
namespace {

/// What an audit found, shared by its arrays.
struct AuditResult {
  std::shared_ptr<const AuditReport> report;
  bool trusted = false;
  std::optional<unsigned> near;  // the distance
};

AuditResult AuditDatasets(const nb::list& sources, const nb::list& rows, nb::handle feature, nb::handle label,
                          nb::handle split, std::optional<unsigned> near, bool trust_hashes, unsigned threads,
                          nb::handle folder, const nb::object& report) {
  std::vector<std::shared_ptr<const Source>> kept;
  const std::shared_ptr<const PerceptualHash> images = near ? Unwrap(PerceptualHash::Make()) : nullptr;
  AuditRequest request{.feature = NameOf(feature),
                       .label = NameOf(label),
                       .split = NameOf(split),
                       .near = {.decoder = images.get(), .distance = near.value_or(0)},
                       .trust_hashes = trust_hashes,
                       .folder = PathOf(folder),
                       .threads = threads};
  for (size_t i = 0; i < sources.size(); ++i) {
    kept.push_back(nb::cast<std::shared_ptr<const Source>>(sources[i]));
    AuditedSet& set = request.sets.emplace_back(AuditedSet{.dataset = &kept.back()->dataset});
    if (!rows[i].is_none()) set.rows = Unwrap(nb::cast<const Rows&>(rows[i]).Ascending());
  }
  Watch watch;
  if (!report.is_none()) {
    watch = [report](const Progress& progress) { report(0, 0, progress.records_done.load()); };
  }
  Progress progress;
  AuditReport found = RunInterruptibly([&](Progress& running) { return Audit(request, running); }, progress, watch);
  return {std::make_shared<const AuditReport>(std::move(found)), trust_hashes, near};
}

nb::dict SummaryOf(const AuditResult& result) {
  const AuditReport& report = *result.report;
  const auto show = [](const SetReport& set) {
    return DictOf("index", TextOf(set.index), "records", Count(set.compared.records), "compared",
                  Count(set.compared.compared()), "bad", Count(set.compared.bad), "without",
                  Count(set.compared.without), "read", Count(set.compared.read), "undecodable",
                  Count(set.compared.undecodable), "first_undecodable",
                  set.compared.undecodable == 0 ? nb::none() : Count(set.compared.first_undecodable), "cause",
                  set.compared.undecodable == 0 ? nb::none() : nb::object(TextOf(set.compared.cause)), "plain",
                  Count(set.compared.plain), "duplicates", Count(set.duplicates), "repeats", Count(set.repeats),
                  "leaks", Count(set.leaks));
  };
  return DictOf("indexes", ListOf(report.sets, show), "group_count", Count(report.groups.size()), "conflict_count",
                Count(report.conflicts), "leak_count", Count(report.leaks), "collision_count", Count(report.collisions),
                "trusted", Flag(result.trusted), "near", result.near ? Count(*result.near) : nb::none());
}

// Returns the dataset and the ordinal of each record in groups.
nb::tuple PlacesOf(const AuditResult& result) {
  const std::vector<uint64_t>& records = result.report->groups.records();
  std::vector<uint64_t> sets;
  std::vector<uint64_t> ordinals;
  sets.reserve(records.size());
  ordinals.reserve(records.size());
  for (const uint64_t record : records) {
    const RecordNumbers::Place place = result.report->numbers.At(record);
    sets.push_back(place.set);
    ordinals.push_back(place.ordinal);
  }
  return nb::make_tuple(RowArray(std::move(sets)), RowArray(std::move(ordinals)));
}

// Returns the end of each group among these records.
nb::object EndsOf(const AuditResult& result) {
  const std::vector<uint64_t>& ends = result.report->groups.ends();
  return SharedArray<int64_t>(result.report, reinterpret_cast<const int64_t*>(ends.data()), ends.size());
}

nb::object FlagsOf(const AuditResult& result, bool GroupFacts::*flag) {
  std::vector<uint8_t> flags;
  for (const GroupFacts& facts : result.report->facts) flags.push_back(facts.*flag ? 1 : 0);
  return ArrayOf<uint8_t, bool>(std::move(flags));
}

// Returns the distance of each record in groups; empty if bytes were compared.
nb::object DistancesOf(const AuditResult& result) {
  const std::vector<uint8_t>& distances = result.report->distances;
  return ArrayOf<uint8_t, uint8_t>(std::vector<uint8_t>(distances));
}

// Returns the distinct values of a column, and of each record in groups the place of its value among them, or -1.
nb::tuple ValuesOf(const AuditResult& result, ColumnNumbers AuditReport::*column) {
  const ColumnNumbers& found = (*result.report).*column;
  nb::list values;
  for (const ColumnValue& value : found.values) values.append(ObjectOf(value));
  std::vector<int64_t> places;
  places.reserve(found.numbers.size());
  for (const uint32_t number : found.numbers) places.push_back(int64_t{number} - 1);
  return nb::make_tuple(values, ArrayOf(std::move(places)));
}

// Returns the columns for the records of set `set` that are in groups, the ordinals first.
nb::tuple VerdictsOf(const AuditResult& result, size_t set) {
  const std::vector<RecordVerdict> verdicts = VerdictsOn(*result.report, set);
  std::vector<uint64_t> ordinals;
  std::vector<uint64_t> duplicates;
  std::vector<uint8_t> first;
  std::vector<uint64_t> leaks;
  std::vector<uint8_t> conflict;
  for (const RecordVerdict& verdict : verdicts) {
    ordinals.push_back(verdict.ordinal);
    duplicates.push_back(verdict.duplicates);
    first.push_back(verdict.first ? 1 : 0);
    leaks.push_back(verdict.leaks);
    conflict.push_back(verdict.conflict ? 1 : 0);
  }
  return nb::make_tuple(RowArray(std::move(ordinals)), RowArray(std::move(duplicates)),
                        ArrayOf<uint8_t, bool>(std::move(first)), RowArray(std::move(leaks)),
                        ArrayOf<uint8_t, bool>(std::move(conflict)));
}

}  // namespace

void BindAuditing(nb::module_& m) {
  nb::class_<AuditResult>(m, "AuditResult")
      .def("summary", &SummaryOf)
      .def("places", &PlacesOf)
      .def("ends", &EndsOf)
      .def("conflicts", [](const AuditResult& result) { return FlagsOf(result, &GroupFacts::conflict); })
      .def("leaks", [](const AuditResult& result) { return FlagsOf(result, &GroupFacts::leak); })
      .def("labels", [](const AuditResult& result) { return ValuesOf(result, &AuditReport::labels); })
      .def("splits", [](const AuditResult& result) { return ValuesOf(result, &AuditReport::splits); })
      .def("distances", &DistancesOf)
      .def("verdicts", &VerdictsOf, "set"_a);
  m.def("audit", &AuditDatasets, "sources"_a, "rows"_a, "feature"_a, "label"_a, "split"_a, "near"_a.none(),
        "trust_hashes"_a, "threads"_a, "folder"_a, "report"_a.none());
  m.attr("NEAR_DISTANCE") = SimilarityHash::kDefaultDistance;
  m.attr("NEAR_MAX_DISTANCE") = SimilarityHash::kMaxDistance;
}

}  // namespace ofindex::python
