#include "python/src/attaching/attaching.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "python/src/attaching/array_rows.h"
#include "python/src/attaching/arrow_rows.h"
#include "python/src/columns/listing.h"
#include "python/src/convert/bytes.h"
#include "python/src/convert/values.h"
#include "python/src/interpreter/errors.h"
#include "python/src/interpreter/interruptible.h"
#include "python/src/records/records.h"
#include "query/attaching/attach.h"
#include "query/attaching/detach.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace ofindex::python {
namespace {

using ByteArray = nb::ndarray<const uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using OffsetArray = nb::ndarray<const int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// An array column as Python has it, which keeps it alive.
struct HeldColumn {
  nb::object name;
  std::string kind;
  ByteArray data;
  std::optional<OffsetArray> offsets;
  std::optional<ByteArray> nulls;
};

nb::list RowsOf(const std::vector<ReportedRow>& rows) {
  nb::list list;
  for (const ReportedRow& row : rows) list.append(DictOf("row", Count(row.row), "key", TextOf(row.key)));
  return list;
}

nb::list NamesOfColumns(const std::vector<std::string>& names) {
  nb::list list;
  for (const std::string& name : names) list.append(TextOf(name));
  return list;
}

nb::dict DictOfAttached(const AttachReport& report) {
  nb::list ordinals;
  for (const uint64_t ordinal : report.first_records_without_row) ordinals.append(Count(ordinal));
  return DictOf(
      "file", TextOf(report.file), "columns", NamesOfColumns(report.columns), "rows", Count(report.rows), "records",
      Count(report.records), "attached_records", Count(report.attached_records), "rows_without_record",
      DictOf("count", Count(report.rows_without_record), "first", RowsOf(report.first_without_record)), "repeated_rows",
      DictOf("count", Count(report.repeated_rows), "first", RowsOf(report.first_repeated)), "records_without_row",
      DictOf("count", Count(report.records_without_row()), "first", ordinals), "file_bytes", Count(report.file_bytes));
}

std::vector<std::string> TextsIn(const std::vector<nb::object>& names) {
  std::vector<std::string> texts;
  for (const nb::object& name : names) texts.push_back(NameOf(name));
  return texts;
}

AttachmentTarget TargetOf(nb::handle output, bool wait) {
  return {.file = PathOf(output), .if_locked = wait ? AtomicFile::IfLocked::kWait : AtomicFile::IfLocked::kFail};
}

AttachRequest RequestOf(nb::handle key, nb::handle table_key, const std::vector<nb::object>& columns, nb::handle prefix,
                        bool replace, nb::handle output, bool wait) {
  return {.key = NameOf(key),
          .table_key = NameOf(table_key),
          .columns = TextsIn(columns),
          .prefix = NameOf(prefix),
          .replace = replace,
          .target = TargetOf(output, wait)};
}

nb::dict AttachRows(const Source& source, TableRows& rows, const AttachRequest& request, const nb::object& report) {
  Watch watch;
  if (!report.is_none()) {
    watch = [report](const Progress& progress) { report(0, 0, progress.records_done.load()); };
  }
  Progress progress;
  const AttachReport attached = RunInterruptibly(
      [&](Progress& running) { return Attach(source.dataset, request, rows, running); }, progress, watch);
  source.dataset.snapshot()->CloseColumns();
  return DictOfAttached(attached);
}

nb::dict AttachStream(const Source& source, nb::handle capsule, nb::handle name, nb::handle key, nb::handle table_key,
                      const std::vector<nb::object>& columns, nb::handle prefix, bool replace, nb::handle output,
                      bool wait, const nb::object& report) {
  auto* const given = static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(capsule.ptr(), "arrow_array_stream"));
  if (given == nullptr) throw nb::python_error();
  if (given->release == nullptr) Raise(ErrorCode::kUsage, "the table was read already; expected a new one");
  ArrowRows rows(std::exchange(*given, {}), NameOf(name));
  const AttachRequest request = RequestOf(key, table_key, columns, prefix, replace, output, wait);
  RunInterruptibly([&](const Progress&) { return rows.ReadSchema(); });
  return AttachRows(source, rows, request, report);
}

nb::dict AttachArrays(const Source& source, const std::vector<HeldColumn>& held, uint64_t count, nb::handle name,
                      nb::handle key, nb::handle table_key, const std::vector<nb::object>& columns, nb::handle prefix,
                      bool replace, nb::handle output, bool wait, const nb::object& report) {
  std::vector<ArrayColumn> arrays;
  for (const HeldColumn& column : held) {
    arrays.push_back({.name = NameOf(column.name),
                      .kind = column.kind == "bytes"     ? FeatureKind::kBytes
                              : column.kind == "float32" ? FeatureKind::kFloat
                              : column.kind == "float64" ? FeatureKind::kDouble
                                                         : FeatureKind::kInt64,
                      .data = column.data.data(),
                      .offsets = column.offsets ? column.offsets->data() : nullptr,
                      .nulls = column.nulls ? column.nulls->data() : nullptr});
  }
  ArrayRows rows(std::move(arrays), count, NameOf(name));
  const AttachRequest request = RequestOf(key, table_key, columns, prefix, replace, output, wait);
  return AttachRows(source, rows, request, report);
}

nb::dict DetachColumns(const Source& source, const std::vector<nb::object>& names, bool all, nb::handle output,
                       bool wait) {
  const DetachRequest request{.columns = TextsIn(names), .all = all, .target = TargetOf(output, wait)};
  const Snapshot& snapshot = *source.dataset.snapshot();
  const DetachReport report =
      RunInterruptibly([&](const Progress& progress) { return Detach(snapshot, request, progress); });
  snapshot.CloseColumns();
  return DictOf("file", TextOf(report.file), "detached", NamesOfColumns(report.detached), "left",
                NamesOfColumns(report.left));
}

}  // namespace

void BindAttaching(nb::module_& m) {
  nb::class_<HeldColumn>(m, "ArrayColumn")
      .def(
          "__init__",
          [](HeldColumn* self, nb::object name, std::string kind, ByteArray data, std::optional<OffsetArray> offsets,
             std::optional<ByteArray> nulls) {
            new (self)
                HeldColumn{std::move(name), std::move(kind), std::move(data), std::move(offsets), std::move(nulls)};
          },
          "name"_a, "kind"_a, "data"_a, "offsets"_a.none(), "nulls"_a.none());
  m.def("attach_stream", &AttachStream, "source"_a, "capsule"_a, "name"_a, "key"_a, "table_key"_a, "columns"_a,
        "prefix"_a, "replace"_a, "output"_a, "wait"_a, "report"_a.none());
  m.def("attach_arrays", &AttachArrays, "source"_a, "arrays"_a, "rows"_a, "name"_a, "key"_a, "table_key"_a, "columns"_a,
        "prefix"_a, "replace"_a, "output"_a, "wait"_a, "report"_a.none());
  m.def("detach", &DetachColumns, "source"_a, "names"_a, "all"_a, "output"_a, "wait"_a);
}

}  // namespace ofindex::python
