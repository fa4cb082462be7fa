#include "python/src/writing/writer.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "index/shards/output_rule.h"
#include "index/writing/adopted_set.h"
#include "python/src/convert/bytes.h"
#include "python/src/writing/output.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace ofindex::python {
namespace {

using RecordFile = Output<RecordWriter>;
using ShardSet = Output<ShardSetWriter>;

Framing FramingOf(const std::string& format) {
  if (format == "tfrecord") return Framing::kTfRecord;
  if (format == "ofrecord") return Framing::kOfRecord;
  Raise(ErrorCode::kUsage, StrCat("format='", Printable(format), "': expected 'tfrecord' or 'ofrecord'"));
}

void InitRecordFile(RecordFile* self, nb::handle path, const std::string& format, const std::string& payload,
                    nb::handle schema, bool gzip, bool append, bool force, bool sort, bool allow_nan) {
  const std::string name = PathOf(path);
  const Framing framing = FramingOf(format);
  PayloadRules rules = PayloadRulesOf(payload, schema, sort, allow_nan);
  const Compression compression = gzip ? Compression::kGzip : Compression::kNone;
  Result<RecordWriter> writer = Fail(ErrorCode::kIo, "");
  {
    const nb::gil_scoped_release release;  // walks through the existing file when appending
    const Result<void> checked = append ? Result<void>() : CheckOutput(name, OutputOf(framing), force, {});
    if (!checked) {
      writer = tl::unexpected(checked.error());
    } else {
      writer = append ? RecordWriter::Append(name, framing) : RecordWriter::Create(name, framing, compression);
    }
  }
  new (self) RecordFile(Unwrap(std::move(writer)), name, std::move(rules), framing);
}

ShardSetRequest RequestOf(nb::handle output, const std::string& format, bool gzip, bool force) {
  return {.out = PathOf(output),
          .framing = FramingOf(format),
          .compression = gzip ? Compression::kGzip : Compression::kNone,
          .force = force};
}

ShardSetPlan PlanOf(nb::handle output, const std::string& format, bool gzip, std::optional<uint64_t> shards,
                    bool force) {
  ShardSetRequest request = RequestOf(output, format, gzip, force);
  request.shards = shards;
  Result<ShardSetPlan> plan = PlanShardSet(request);
  return Unwrap(std::move(plan));
}

// Existing shards are replaced only if none of them is an input.
void CheckInputs(const ShardSetPlan& plan, const nb::list& paths, bool force) {
  InputFiles inputs;
  for (const nb::handle path : paths) inputs.Add(PathOf(path));
  Result<void> checked = CheckReplaced(plan, force, inputs);
  Unwrap(std::move(checked));
}

nb::list PathsOf(const ShardSetPlan& plan) {
  nb::list paths;
  for (const std::string& path : plan.paths) paths.append(TextOf(path));
  return paths;
}

// Returns the paths of the whole set.
nb::list AdoptShardsOf(nb::handle output, const std::string& format, bool gzip, const nb::list& shards, bool force,
                       bool append) {
  std::vector<std::string> finished;
  for (const nb::handle path : shards) finished.push_back(PathOf(path));
  Result<std::vector<std::string>> paths = AdoptShards(RequestOf(output, format, gzip, force), finished, append);
  nb::list names;
  for (const std::string& path : Unwrap(std::move(paths))) names.append(TextOf(path));
  return names;
}

void CheckAppendTo(nb::handle output, const std::string& format, bool gzip) {
  Result<void> checked = CheckAppend(RequestOf(output, format, gzip, /*force=*/true));
  Unwrap(std::move(checked));
}

// `records` is the total to be written; if it is not known, there is one shard.
void InitShardSet(ShardSet* self, const ShardSetPlan& plan, std::optional<uint64_t> records, const std::string& payload,
                  nb::handle schema, bool allow_nan) {
  PayloadRules rules = PayloadRulesOf(payload, schema, /*sort=*/true, allow_nan);
  const uint64_t all = records.value_or(std::numeric_limits<uint64_t>::max());
  ShardSetWriter writer = Unwrap(ShardSetWriter::Begin(plan, EvenShares(all, plan.paths.size())));
  new (self) ShardSet(std::move(writer), plan.paths.front(), std::move(rules), plan.framing);
}

template <typename Target>
nb::class_<Output<Target>> BindOutput(nb::module_& m, const char* name) {
  using Class = Output<Target>;
  return nb::class_<Class>(m, name)
      .def("write", &Class::Write, "record"_a.none(),
           "Append one record: a payload unchanged, from any bytes-like object, or the payload made from a mapping of\n"
           "feature names to values.\n\nRaises:\n"
           "    FeatureError: a value cannot be stored in the payload; the text names record and feature. Nothing of\n"
           "    the record was written, and the writer can be used further. TypeError: not a record. OSError:\n"
           "    the disk is full, or another write error; the shard can only be abandoned. ValueError: the writer is\n"
           "    closed.")
      .def("abandon", &Class::Abandon,
           "Discard what was written: an existing file stays unchanged, and no temporary file is left. Does nothing\n"
           "if the writer is closed.")
      .def_prop_ro("closed", &Class::closed, "Whether the writer was closed or abandoned.")
      .def_prop_ro("records", &Class::records, "Number of records so far, including those that the shard had before.")
      .def_prop_ro("size", &Class::size, "Size of the framed records so far in bytes, before compression.");
}

}  // namespace

void BindWriter(nb::module_& m) {
  BindOutput<RecordWriter>(m, "RecordFile")
      .def("__init__", &InitRecordFile, "path"_a, "format"_a, "payload"_a, "schema"_a.none(), "gzip"_a, "append"_a,
           "force"_a, "sort"_a, "allow_nan"_a)
      .def(
          "flush", [](RecordFile& file) { file.Run([](RecordWriter& writer) { return writer.Flush(); }); },
          "Pass all records so far to the system, so that this process's memory holds none of them.\n\n"
          "Raises:\n    OSError: the disk is full, or another write error.")
      .def(
          "close", [](RecordFile& file) { file.End([](RecordWriter& writer) { return writer.Close(); }); },
          "Wait until all bytes are on the disk, and give the shard its name. Later calls do nothing.\n\n"
          "Raises:\n    OSError: the shard could not be written; an existing file stays unchanged.");
  nb::class_<ShardSetPlan>(m, "ShardPlan")
      .def_prop_ro("paths", &PathsOf)
      .def("check", &CheckInputs, "inputs"_a, "force"_a);
  m.def("plan_shards", &PlanOf, "output"_a, "format"_a, "gzip"_a, "shards"_a.none(), "force"_a);
  m.def("adopt_shards", &AdoptShardsOf, "output"_a, "format"_a, "gzip"_a, "shards"_a, "force"_a, "append"_a);
  m.def("check_append", &CheckAppendTo, "output"_a, "format"_a, "gzip"_a);
  BindOutput<ShardSetWriter>(m, "ShardSet")
      .def("__init__", &InitShardSet, "plan"_a, "records"_a.none(), "payload"_a, "schema"_a.none(), "allow_nan"_a)
      .def("publish", [](ShardSet& set) { set.End([](ShardSetWriter& writer) { return writer.Publish(); }); });
}

}  // namespace ofindex::python
