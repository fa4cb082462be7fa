#include "python/src/columns/catalog.h"

#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/nearest_names.h"
#include "base/text.h"
#include "proto/extract/extractor.h"
#include "python/src/columns/columns.h"
#include "python/src/columns/listing.h"
#include "python/src/convert/bytes.h"
#include "python/src/convert/values.h"
#include "python/src/interpreter/errors.h"
#include "python/src/interpreter/interruptible.h"
#include "python/src/records/present_rows.h"
#include "python/src/records/records.h"
#include "python/src/records/rows.h"
#include "query/columns/find_column.h"
#include "query/stats/stats.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace ofindex::python {
namespace {

nb::list ShardsOf(const std::vector<ShardRow>& shards) {
  return ListOf(shards, [](const ShardRow& shard) {
    return DictOf("path", TextOf(shard.path), "format", TextOf(Name(shard.framing)), "compression",
                  TextOf(Name(shard.compression)), "payload", TextOf(Name(shard.payload)), "records",
                  Count(shard.records), "bytes", Count(shard.identity.size), "payload_bytes",
                  Count(shard.payload_bytes));
  });
}

nb::object KindsOf(uint8_t kinds) {
  nb::list names;
  for (uint8_t kind = 0; kind <= static_cast<uint8_t>(FeatureKind::kInt64); ++kind) {
    if ((kinds >> kind & 1) != 0) names.append(TextOf(Name(static_cast<FeatureKind>(kind))));
  }
  return names;
}

nb::list FeaturesOf(const std::vector<FeatureRow>& features) {
  return ListOf(FeaturesByName(features), [](const FeatureRow& row) {
    const std::string& column = MainColumn(row);
    const nb::list columns = ListOf(ColumnNamesOf(row), [](const std::string& name) { return TextOf(name); });
    const nb::list derived = ListOf(row.derived, [](const DerivedColumn& one) {
      return DictOf("column", TextOf(one.name), "what", TextOf(Describe(one.role)), "type",
                    TextOf(TypeOfFacts(one.role)));
    });
    return DictOf("name", TextOf(row.name), "kinds", KindsOf(row.kinds), "present", Count(row.present), "values",
                  Count(row.values), "values_min", Count(row.values_min), "values_max", Count(row.values_max), "column",
                  column.empty() ? nb::none() : TextOf(column), "columns", columns, "derived", derived, "type",
                  column.empty() ? nb::none() : TextOf(MainType(row)), "origin",
                  row.origin.empty() ? nb::none() : TextOf(row.origin));
  });
}

std::shared_ptr<SharedCatalog> CatalogOf(const Source& source) {
  return RunInterruptibly([&](const Progress&) { return source.dataset.snapshot()->Catalog(); });
}

// The rows that a catalog reads only on request.
struct RarerRows {
  std::vector<BadRow> bad;
  std::vector<DamageRow> damage;
  std::vector<SkippedFile> skipped;
};

RarerRows ReadRarerRows(SharedCatalog& catalog) {
  return RunInterruptibly([&](const Progress&) -> Result<RarerRows> {
    RarerRows rows;
    OFINDEX_ASSIGN(rows.bad, catalog.Bad());
    OFINDEX_ASSIGN(rows.damage, catalog.Damage());
    OFINDEX_ASSIGN(rows.skipped, catalog.Skipped());
    return rows;
  });
}

nb::dict ReadInfo(const Source& source) {
  const Snapshot& snapshot = *source.dataset.snapshot();
  const std::shared_ptr<SharedCatalog> catalog = CatalogOf(source);
  const RarerRows rows = ReadRarerRows(*catalog);
  const DatasetFacts& facts = catalog->facts();
  const std::vector<ShardRow>& shards = catalog->shards();
  return DictOf("index", TextOf(snapshot.path()), "id", TextOf(ToHex(facts.id)), "format_version",
                nb::int_(kFormatVersion), "generation", nb::int_(catalog->generations().back().number), "records",
                Count(facts.records), "payload_bytes", Count(facts.payload_bytes), "data_bytes",
                Count(facts.data_bytes), "index_bytes", Count(snapshot.index()->size()), "checked",
                TextOf(Name(facts.checked)), "shards", ShardsOf(shards), "features",
                FeaturesOf(ColumnsOf(source)->features()), "bad", BadOf(rows.bad, shards), "damage",
                DamageOf(rows.damage, shards), "skipped", SkippedOf(rows.skipped));
}

// `attached`: with the columns that are attached to the records.
nb::list ReadFeatures(const Source& source, bool attached) {
  return FeaturesOf(attached ? ColumnsOf(source)->features() : CatalogOf(source)->features());
}

nb::object RealOf(const std::optional<double>& value) { return value ? nb::object(nb::float_(*value)) : nb::none(); }

nb::object DictOfLengths(const Lengths& lengths) {
  if (lengths.count == 0) return nb::none();
  return DictOf("min", Count(lengths.min), "max", Count(lengths.max), "mean", nb::float_(lengths.mean()));
}

nb::dict DictOfStats(const ColumnStats& stats) {
  const auto reason = [&](uint64_t NullReasons::*which) {
    return stats.null_reasons ? nb::object(Count((*stats.null_reasons).*which)) : nb::none();
  };
  const std::optional<Quartiles>& quartiles = stats.quartiles;
  const auto quartile = [&](double Quartiles::*which) { return quartiles ? RealOf((*quartiles).*which) : nb::none(); };
  const nb::list top = ListOf(
      stats.top, [](const ValueCount& one) { return DictOf("value", ObjectOf(one.value), "count", Count(one.count)); });
  const nb::list histogram = ListOf(stats.histogram, [](const HistogramBin& bin) {
    return DictOf("begin", ObjectOf(bin.begin), "end", ObjectOf(bin.end), "count", Count(bin.count));
  });
  return DictOf("rows", Count(stats.rows), "column", TextOf(stats.column), "type", TextOf(stats.type), "count",
                Count(stats.count), "nulls", Count(stats.nulls), "absent", reason(&NullReasons::absent), "empty",
                reason(&NullReasons::empty), "several", reason(&NullReasons::several), "nans", Count(stats.nans), "min",
                ObjectOf(stats.min), "max", ObjectOf(stats.max), "mean", RealOf(stats.mean), "std",
                RealOf(stats.deviation), "q1", quartile(&Quartiles::first), "median", quartile(&Quartiles::median),
                "q3", quartile(&Quartiles::third), "distinct", Count(stats.distinct), "distinct_is_exact",
                Flag(stats.distinct_is_exact), "top", top, "histogram", histogram, "lengths",
                DictOfLengths(stats.lengths), "list_lengths", DictOfLengths(stats.lists));
}

nb::dict ReadStats(const Source& source, const Rows& numbered, nb::handle name, size_t top, size_t bins) {
  if (bins == 0) Raise(ErrorCode::kUsage, "bins=0: expected 1 or more");
  const std::shared_ptr<ColumnStore> store = ColumnsOf(source);
  const Column column = Unwrap(FindColumn(*store, NameOf(name)), Asked::kQuery);
  StatsOptions options{.top = top, .bins = bins};
  const Rows rows = PresentRows(source, numbered);
  const bool all = rows.view() != nullptr && rows.size() == store->records();  // a view has no record twice
  if (!all) {
    options.among = [sorted = rows.Sorted()](uint64_t begin, uint64_t end) { return sorted.TimesIn(begin, end); };
  }
  return DictOfStats(RunInterruptibly([&](Progress& progress) {
    options.cancel = &progress.cancel;
    return StatsOf(*store, column, options);
  }));
}

}  // namespace

void BindCatalog(nb::module_& m) {
  m.def("info", &ReadInfo, "source"_a);
  m.def("features", &ReadFeatures, "source"_a, "attached"_a);
  m.def("stats", &ReadStats, "source"_a, "rows"_a, "name"_a.none(), "top"_a, "bins"_a);
  m.def(
      "has_column",
      [](const Source& source, nb::handle name) { return FindColumn(*ColumnsOf(source), NameOf(name)).has_value(); },
      "source"_a, "name"_a);
  m.def(
      "did_you_mean",
      [](nb::handle wrong, const std::vector<nb::object>& names) {
        std::vector<std::string> known;
        for (const nb::object& name : names) known.push_back(NameOf(name));
        std::vector<std::string> nearest = NearestNames(NameOf(wrong), known);
        for (std::string& name : nearest) name = Printable(name);
        return TextOf(DidYouMean(nearest, "'"));
      },
      "wrong"_a, "names"_a, nb::sig("def did_you_mean(wrong: object, names: list) -> str"));
  m.attr("max_features") = kMaxFeatures;
}

}  // namespace ofindex::python
