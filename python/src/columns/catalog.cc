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
#include "index/build/builder.h"
#include "index/build/verifier.h"
#include "proto/extract/extractor.h"
#include "python/src/columns/columns.h"
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

// Adds alternating keys and values to `dict`.
template <typename... Rest>
void Put(nb::dict& dict, const char* key, const nb::object& value, const Rest&... rest) {
  dict[key] = value;
  if constexpr (sizeof...(rest) > 0) Put(dict, rest...);
}

template <typename... Items>
nb::dict DictOf(const Items&... items) {
  nb::dict dict;
  Put(dict, items...);
  return dict;
}

nb::object Count(uint64_t count) { return nb::int_(count); }
nb::object Flag(bool flag) { return nb::bool_(flag); }

template <typename Row, typename Show>
nb::list ListOf(const std::vector<Row>& rows, Show show) {
  nb::list list;
  for (const Row& row : rows) list.append(show(row));
  return list;
}

nb::list TextsOf(const std::vector<std::string>& texts) {
  return ListOf(texts, [](const std::string& text) { return TextOf(text); });
}

nb::list ShardsOf(const std::vector<ShardRow>& shards) {
  return ListOf(shards, [](const ShardRow& shard) {
    return DictOf("path", TextOf(shard.path), "format", TextOf(Name(shard.framing)), "compression",
                  TextOf(Name(shard.compression)), "payload", TextOf(Name(shard.payload)), "records",
                  Count(shard.records), "bytes", Count(shard.identity.size), "payload_bytes",
                  Count(shard.payload_bytes));
  });
}

nb::list BadOf(const std::vector<BadRow>& bad, const std::vector<ShardRow>& shards) {
  return ListOf(bad, [&](const BadRow& row) {
    return DictOf("record", Count(row.record), "shard", TextOf(shards[row.shard].path), "offset", Count(row.offset),
                  "reason", TextOf(Name(row.reason)));
  });
}

nb::list DamageOf(const std::vector<DamageRow>& damage, const std::vector<ShardRow>& shards) {
  return ListOf(damage, [&](const DamageRow& row) {
    nb::dict damaged = DictOf("shard", TextOf(shards[row.shard].path), "begin", Count(row.range.begin), "end",
                              Count(row.range.end), "reason", TextOf(Name(row.range.reason)));
    if (row.range.file) {
      Put(damaged, "file_begin", Count(row.range.file->begin), "file_end", Count(row.range.file->end));
    }
    return damaged;
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
    nb::list columns;
    for (const std::string& name : {row.sql_value, row.sql_size, row.sql_count}) {
      if (!name.empty()) columns.append(TextOf(name));
    }
    return DictOf("name", TextOf(row.name), "kinds", KindsOf(row.kinds), "present", Count(row.present), "values",
                  Count(row.values), "values_min", Count(row.values_min), "values_max", Count(row.values_max), "column",
                  column.empty() ? nb::none() : TextOf(column), "columns", columns, "type",
                  column.empty() ? nb::none() : TextOf(MainType(row)));
  });
}

nb::list SkippedOf(const std::vector<SkippedFile>& skipped) {
  return ListOf(skipped, [](const SkippedFile& file) {
    return DictOf("path", TextOf(file.path), "reason", TextOf(file.reason));
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
  return DictOf(
      "index", TextOf(snapshot.path()), "id", TextOf(ToHex(facts.id)), "format_version", nb::int_(kFormatVersion),
      "generation", nb::int_(catalog->generations().back().number), "records", Count(facts.records), "payload_bytes",
      Count(facts.payload_bytes), "data_bytes", Count(facts.data_bytes), "index_bytes", Count(snapshot.index()->size()),
      "checked", TextOf(Name(facts.checked)), "shards", ShardsOf(shards), "features", FeaturesOf(catalog->features()),
      "bad", BadOf(rows.bad, shards), "damage", DamageOf(rows.damage, shards), "skipped", SkippedOf(rows.skipped));
}

nb::list ReadFeatures(const Source& source) { return FeaturesOf(CatalogOf(source)->features()); }

nb::object RealOf(const std::optional<double>& value) { return value ? nb::object(nb::float_(*value)) : nb::none(); }

nb::object LengthsOf(const Lengths& lengths) {
  if (lengths.count == 0) return nb::none();
  return DictOf("min", Count(lengths.min), "max", Count(lengths.max), "mean", nb::float_(lengths.mean()));
}

nb::dict DictOfStats(const ColumnStats& stats) {
  const std::optional<Quartiles>& quartiles = stats.quartiles;
  const auto quartile = [&](double Quartiles::*which) { return quartiles ? RealOf((*quartiles).*which) : nb::none(); };
  const nb::list top = ListOf(
      stats.top, [](const ValueCount& one) { return DictOf("value", ObjectOf(one.value), "count", Count(one.count)); });
  const nb::list histogram = ListOf(stats.histogram, [](const HistogramBin& bin) {
    return DictOf("begin", ObjectOf(bin.begin), "end", ObjectOf(bin.end), "count", Count(bin.count));
  });
  return DictOf("rows", Count(stats.rows), "column", TextOf(stats.column), "type", TextOf(stats.type), "count",
                Count(stats.count), "nulls", Count(stats.nulls), "nans", Count(stats.nans), "min", ObjectOf(stats.min),
                "max", ObjectOf(stats.max), "mean", RealOf(stats.mean), "std", RealOf(stats.deviation), "q1",
                quartile(&Quartiles::first), "median", quartile(&Quartiles::median), "q3", quartile(&Quartiles::third),
                "distinct", Count(stats.distinct), "distinct_is_exact", Flag(stats.distinct_is_exact), "top", top,
                "histogram", histogram, "lengths", LengthsOf(stats.lengths), "list_lengths", LengthsOf(stats.lists));
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

nb::dict DictOfReport(const BuildReport& report) {
  nb::list unreadable;
  for (const SkippedFile& file : report.skipped) {
    if (IsUnreadable(file)) unreadable.append(TextOf(StrCat(Printable(file.path), ": ", Printable(file.reason))));
  }
  return DictOf("index", TextOf(report.index), "unreadable", unreadable, "up_to_date", Flag(report.was_up_to_date),
                "records", Count(report.facts.records), "shards", Count(report.shards.size()), "bad",
                BadOf(report.bad, report.shards), "damage", DamageOf(report.damage, report.shards), "skipped",
                SkippedOf(report.skipped), "missing", TextsOf(report.missing));
}

Watch WatchOf(const nb::object& report) {
  if (report.is_none()) return nullptr;
  return [report](const Progress& progress) {
    report(progress.bytes_done.load(), progress.bytes_total.load(), progress.records_done.load());
  };
}

FormatChoice FormatOf(const std::string& format, const std::string& payload, const std::string& compression) {
  FormatChoice choice;
  if (format != "auto") choice.framing = ParseFraming(format);
  if (format != "auto" && (!choice.framing || *choice.framing == Framing::kEmpty)) {
    Raise(ErrorCode::kUsage, StrCat("format='", format, "': expected 'auto', 'tfrecord' or 'ofrecord'"));
  }
  if (payload != "auto") choice.payload = ParsePayloadKind(payload);
  if (payload != "auto" && !choice.payload) {
    Raise(ErrorCode::kUsage,
          StrCat("payload='", payload, "': expected 'auto', 'example', 'sequence_example', 'ofrecord' or 'opaque'"));
  }
  if (compression != "auto") choice.compression = ParseCompression(compression);
  if (compression != "auto" && !choice.compression) {
    Raise(ErrorCode::kUsage,
          StrCat("compression='", compression, "': expected 'auto', 'none', 'gzip', 'zlib' or 'deflate'"));
  }
  return choice;
}

// Takes either `columns`, as written on the command line, or `names`, of which the first may be "auto".
std::optional<ColumnChoice> ColumnsOf(const std::string& columns, const std::vector<nb::object>& names) {
  if (names.empty()) return columns == "auto" ? std::nullopt : std::optional(Unwrap(ColumnChoice::Parse(columns)));
  std::string text;
  for (const nb::object& object : names) {
    std::string name = NameOf(object);
    std::string escaped;
    for (const char c : name) escaped += c == ',' || c == '\\' ? std::string{'\\', c} : std::string{c};
    if (name == "none" || (name == "auto" && !text.empty())) escaped = "\\" + escaped;
    text += (text.empty() ? "" : ",") + escaped;
  }
  return Unwrap(ColumnChoice::Parse(text));
}

nb::dict Build(const std::vector<nb::object>& data, nb::handle output, bool verify, const std::string& columns,
               const std::vector<nb::object>& names, bool columns_optional, unsigned threads, bool force,
               const std::string& format, const std::string& payload, const std::string& compression,
               uint64_t checkpoint_bytes, uint64_t max_ratio, uint64_t max_bytes, const nb::object& report) {
  BuildOptions options;
  for (const nb::object& one : data) options.data.push_back(PathOf(one));
  options.index = PathOf(output);
  options.verify = verify;
  options.columns = ColumnsOf(columns, names);
  options.columns_optional = columns_optional;
  options.threads = threads;
  options.force = force;
  options.format = FormatOf(format, payload, compression);
  options.inflate = {.checkpoint_bytes = checkpoint_bytes, .max_ratio = max_ratio, .max_bytes = max_bytes};
  Progress progress;
  return DictOfReport(
      RunInterruptibly([&](Progress& told) { return BuildIndex(options, told); }, progress, WatchOf(report)));
}

nb::dict Verify(const Source& source, nb::handle root, bool quick, unsigned threads, const nb::object& report) {
  const VerifyOptions options{.index = source.dataset.index_path(),
                              .opened = source.dataset.snapshot()->index(),
                              .root = PathOf(root),
                              .quick = quick,
                              .threads = threads};
  Progress progress;
  const VerifyReport found =
      RunInterruptibly([&](Progress& told) { return VerifyDataset(options, told); }, progress, WatchOf(report));
  const nb::list bad = ListOf(found.bad, [&](const VerifyReport::Bad& one) {
    return DictOf("record", Count(one.record), "shard", TextOf(found.shards[one.shard].path), "offset",
                  Count(one.offset), "reason", TextOf(Name(one.fault)));
  });
  const nb::list stale = ListOf(StaleFiles(found), [](const StaleFile& file) {
    return DictOf("shard", TextOf(file.path), "reason", TextOf(file.reason));
  });
  return DictOf("clean", Flag(found.clean()), "records_checked", Count(found.records_checked), "bytes_checked",
                Count(found.bytes_checked), "all_payloads_checked", Flag(found.all_payloads_checked),
                "empty_of_records", Count(found.empty_of_records), "bad", bad, "stale", stale, "damage",
                DamageOf(found.damage, found.shards), "map",
                found.map_damage.empty() ? nb::object(nb::none()) : nb::object(TextOf(found.map_damage)));
}

}  // namespace

void BindCatalog(nb::module_& m) {
  m.def("info", &ReadInfo, "source"_a);
  m.def("features", &ReadFeatures, "source"_a);
  m.def("stats", &ReadStats, "source"_a, "rows"_a, "name"_a.none(), "top"_a, "bins"_a);
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
  m.def("build", &Build, "data"_a, "output"_a, "verify"_a, "columns"_a, "names"_a, "columns_optional"_a, "threads"_a,
        "force"_a, "format"_a, "payload"_a, "compression"_a, "checkpoint_bytes"_a, "max_ratio"_a, "max_bytes"_a,
        "report"_a.none());
  m.def("verify", &Verify, "source"_a, "root"_a, "quick"_a, "threads"_a, "report"_a.none());
}

}  // namespace ofindex::python
