#include "python/src/columns/building.h"

#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "index/build/builder.h"
#include "index/finding/resolve_index.h"
#include "index/merge/merger.h"
#include "index/parts/part_plan.h"
#include "index/update/updater.h"
#include "index/verify/verifier.h"
#include "python/src/columns/listing.h"
#include "python/src/convert/bytes.h"
#include "python/src/convert/values.h"
#include "python/src/interpreter/errors.h"
#include "python/src/interpreter/interruptible.h"
#include "python/src/records/records.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace ofindex::python {
namespace {

nb::dict DictOfReport(const BuildReport& report) {
  nb::list unreadable;
  for (const SkippedFile& file : report.skipped) {
    if (IsUnreadable(file)) unreadable.append(TextOf(StrCat(Printable(file.path), ": ", Printable(file.reason))));
  }
  return DictOf("index", TextOf(report.index), "unreadable_files", unreadable, "up_to_date",
                Flag(report.was_up_to_date), "records", Count(report.facts.records), "shards",
                Count(report.shards.size()), "bad", BadOf(report.bad, report.shards), "damage",
                DamageOf(report.damage, report.shards), "skipped", SkippedOf(report.skipped), "missing",
                TextsOf(report.missing));
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

// Takes words as on the command line; without any, whatever an index has is kept.
std::optional<Derivations> DerivationsOf(const std::vector<nb::object>& words) {
  if (words.empty()) return std::nullopt;
  std::vector<std::string> arguments;
  for (const nb::object& word : words) arguments.push_back(NameOf(word));
  return Unwrap(Derivations::Of(arguments));
}

AtomicFile::IfLocked IfLocked(bool wait) { return wait ? AtomicFile::IfLocked::kWait : AtomicFile::IfLocked::kFail; }

nb::dict Build(const std::vector<nb::object>& data, nb::handle output, bool verify, const std::string& columns,
               const std::vector<nb::object>& names, const std::vector<nb::object>& derive,
               const std::vector<nb::object>& keys, bool columns_optional, unsigned threads, bool force, bool wait,
               const std::string& format, const std::string& payload, const std::string& compression,
               uint64_t checkpoint_bytes, uint64_t max_ratio, uint64_t max_bytes, const std::string& part,
               const nb::object& report) {
  BuildOptions options;
  if (!part.empty()) options.part = Unwrap(PartChoice::Parse(part));
  for (const nb::object& one : data) options.data.push_back(PathOf(one));
  options.index = PathOf(output);
  options.verify = verify;
  options.columns = ColumnsOf(columns, names);
  options.derive = DerivationsOf(derive);
  for (const nb::object& key : keys) options.keys.push_back(NameOf(key));
  options.columns_optional = columns_optional;
  options.threads = threads;
  options.force = force;
  options.if_locked = IfLocked(wait);
  options.format = FormatOf(format, payload, compression);
  options.inflate = {.checkpoint_bytes = checkpoint_bytes, .max_ratio = max_ratio, .max_bytes = max_bytes};
  Progress progress;
  return DictOfReport(
      RunInterruptibly([&](Progress& told) { return BuildIndex(options, told); }, progress, WatchOf(report)));
}

nb::dict Merge(const std::vector<nb::object>& inputs, nb::handle output, bool columns_optional, unsigned threads,
               bool force, bool wait, const nb::object& report) {
  MergeOptions options;
  for (const nb::object& input : inputs) options.inputs.push_back(PathOf(input));
  options.index = PathOf(output);
  options.columns_optional = columns_optional;
  options.threads = threads;
  options.force = force;
  options.if_locked = IfLocked(wait);
  Progress progress;
  const BuildReport merged =
      RunInterruptibly([&](Progress& told) { return MergeIndexes(options, told); }, progress, WatchOf(report));
  nb::dict dict = DictOfReport(merged);
  Put(dict, "renumbered", Flag(merged.renumbered), "is_part", Flag(merged.facts.part.has_value()));
  return dict;
}

nb::dict DictOfShard(const ChangedShard& shard) {
  nb::dict dict = DictOf("path", TextOf(shard.path), "records", Count(shard.records));
  if (!shard.before.empty()) Put(dict, "before", TextOf(shard.before));
  if (shard.change == ShardChange::kGrown) Put(dict, "new_records", Count(shard.new_records));
  return dict;
}

nb::list ListOfKeys(const std::vector<KeyReport>& keys) {
  nb::list list;
  for (const KeyReport& key : keys) {
    const KeyFacts& facts = key.facts;
    list.append(DictOf("name", TextOf(facts.name), "path", TextOf(key.path), "records", Count(facts.records), "keys",
                       Count(facts.keys), "duplicates", Count(facts.repeats()), "records_without", Count(facts.without),
                       "bytes", Count(key.bytes)));
  }
  return list;
}

nb::dict DictOfUpdate(const UpdateReport& report) {
  const BuildReport& written = report.written;
  nb::dict dict = DictOfReport(written);
  Put(dict, "generation", nb::int_(report.generation), "ordinals", Count(written.facts.ordinals), "new_records",
      Count(report.new_records), "gone_records", Count(report.gone_records), "renumbered", Flag(report.renumbered),
      "pruned_records", Count(report.pruned_records), "unchanged", Count(report.unchanged));
  for (const ShardChange change : kListedChanges) {
    nb::list shards;
    for (const ChangedShard& shard : report.shards) {
      if (shard.change == change) shards.append(DictOfShard(shard));
    }
    dict[TextOf(Name(change))] = shards;
  }
  Put(dict, "features_without_column", Count(written.without_column), "features_dropped",
      Flag(written.facts.features_dropped), "missing_in_sets", TextsOf(written.missing), "columns_added",
      TextsOf(report.columns_added), "columns_removed", TextsOf(report.columns_removed), "attached_columns",
      TextsOf(report.attached_columns), "keys", ListOfKeys(written.keys), "keys_dropped",
      TextsOf(written.dropped_keys));
  return dict;
}

nb::dict Update(nb::handle index, const std::vector<nb::object>& data, bool verify, bool prune, unsigned threads,
                bool wait, uint64_t checkpoint_bytes, uint64_t max_ratio, uint64_t max_bytes,
                const nb::object& report) {
  UpdateOptions options{.index = Unwrap(ResolveIndex(PathOf(index)))};
  for (const nb::object& one : data) options.data.push_back(PathOf(one));
  options.verify = verify;
  options.prune = prune;
  options.if_locked = IfLocked(wait);
  options.threads = threads;
  options.inflate = {.checkpoint_bytes = checkpoint_bytes, .max_ratio = max_ratio, .max_bytes = max_bytes};
  Progress progress;
  return DictOfUpdate(
      RunInterruptibly([&](Progress& told) { return UpdateIndex(options, told); }, progress, WatchOf(report)));
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

void BindBuilding(nb::module_& m) {
  m.def("build", &Build, "data"_a, "output"_a, "verify"_a, "columns"_a, "names"_a, "derive"_a, "keys"_a,
        "columns_optional"_a, "threads"_a, "force"_a, "wait"_a, "format"_a, "payload"_a, "compression"_a,
        "checkpoint_bytes"_a, "max_ratio"_a, "max_bytes"_a, "part"_a, "report"_a.none());
  m.def("merge", &Merge, "inputs"_a, "output"_a, "columns_optional"_a, "threads"_a, "force"_a, "wait"_a,
        "report"_a.none());
  m.def("update", &Update, "index"_a, "data"_a, "verify"_a, "prune"_a, "threads"_a, "wait"_a, "checkpoint_bytes"_a,
        "max_ratio"_a, "max_bytes"_a, "report"_a.none());
  m.def("verify", &Verify, "source"_a, "root"_a, "quick"_a, "threads"_a, "report"_a.none());
}

}  // namespace ofindex::python
