#include "python/src/columns.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "index/catalog_reader.h"
#include "python/src/arrays.h"
#include "python/src/arrow_stream.h"
#include "python/src/bytes.h"
#include "python/src/column_gather.h"
#include "python/src/errors.h"
#include "python/src/interruptible.h"
#include "python/src/rows.h"
#include "python/src/values.h"
#include "query/find_column.h"
#include "query/sampling/set_of.h"
#include "query/sampling/split.h"
#include "query/where.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace ofindex::python {
namespace {

// Rows of a batch of a stream, and of a step of a long gathering.
constexpr uint64_t kRowsAtOnce = 65536;

std::shared_ptr<Columns> OpenColumns(nb::handle path) {
  const std::string index_path = PathOf(path);
  return std::make_shared<Columns>(RunInterruptibly([&](const Progress& progress) -> Result<Columns> {
    Columns columns{.index_path = index_path, .generations = {}, .store = nullptr};
    OFINDEX_ASSIGN(CatalogReader catalog, CatalogReader::Open(index_path));
    OFINDEX_ASSIGN(columns.generations, catalog.Generations());
    // The map is opened later, when there is no `progress` any more: a dataset that is open has it.
    static_cast<void>(progress);
    OFINDEX_ASSIGN(columns.store, ColumnStore::Open(index_path));
    return columns;
  }));
}

Rows SelectRows(const Columns& columns, const std::string& expression, nb::handle parameters, const Rows& among) {
  const std::vector<SqlParameter> values = ParametersOf(parameters);
  return RunInterruptibly(
      [&](Progress& progress) -> Result<Rows> {
        SqlLimits limits;
        limits.cancel = &progress.cancel;
        OFINDEX_ASSIGN(const Selection selection, Where(columns.store, expression, values, limits));
        return among.Where(SetOf(selection));
      },
      Asked::kQuery);
}

// A column of SQL's, by the name in SQL or that of a feature.
std::vector<Column> ColumnsNamed(const Columns& columns, const std::optional<std::vector<nb::object>>& names) {
  if (!names) return columns.store->columns();
  std::vector<Column> found;
  for (const nb::object& name : *names) {
    found.push_back(Unwrap(FindColumn(*columns.store, NameOf(name)), Asked::kQuery));
  }
  return found;
}

// Ordinals of the rows [begin, begin + count).
std::vector<uint64_t> Ordinals(const Rows& rows, uint64_t begin, uint64_t count) {
  std::vector<uint64_t> ordinals(count);
  std::iota(ordinals.begin(), ordinals.end(), begin);
  rows.Map(ordinals);
  return ordinals;
}

nb::object Stream(std::shared_ptr<Columns> columns, const Rows& rows,
                  const std::optional<std::vector<nb::object>>& names) {
  std::vector<Column> wanted = ColumnsNamed(*columns, names);
  ArrowTable table;
  for (const Column& column : wanted) table.fields.push_back(Unwrap(FieldOf(*columns->store, column), Asked::kQuery));
  const std::vector<ArrowField> fields = table.fields;
  table.next = [columns, rows, wanted, fields, at = uint64_t{0}]() mutable -> Result<std::optional<ArrowTable::Batch>> {
    if (at >= rows.size()) return std::nullopt;
    const uint64_t count = std::min(kRowsAtOnce, rows.size() - at);
    const std::vector<uint64_t> ordinals = Ordinals(rows, at, count);
    ArrowTable::Batch batch{.rows = static_cast<int64_t>(count), .columns = {}};
    for (size_t c = 0; c < wanted.size(); ++c) {
      ArrowColumn& column = batch.columns.emplace_back(fields[c].type, fields[c].item);
      OFINDEX_TRY(Gather(*columns->store, wanted[c], ordinals, column));
    }
    at += count;
    return batch;
  };
  return StreamCapsule(std::move(table));
}

template <typename T>
nb::object NumbersAs(const std::shared_ptr<const ArrowColumn>& column) {
  return SharedArray<T>(column, reinterpret_cast<const T*>(column->data().data()), static_cast<size_t>(column->size()));
}

nb::object NumbersOf(const std::shared_ptr<const ArrowColumn>& column) {
  switch (column->type()) {
    case ValueType::kFloat32: return NumbersAs<float>(column);
    case ValueType::kFloat64: return NumbersAs<double>(column);
    default: return NumbersAs<int64_t>(column);
  }
}

nb::object TextAt(const ArrowColumn& column, int64_t i) {
  if (column.IsNull(i)) return nb::none();
  const auto begin = static_cast<size_t>(column.offsets()[static_cast<size_t>(i)]);
  const auto end = static_cast<size_t>(column.offsets()[static_cast<size_t>(i) + 1]);
  const ByteView bytes(column.data().data() + begin, end - begin);
  return column.type() == ValueType::kText ? TextOf(AsText(bytes)) : nb::object(BytesOf(bytes));
}

nb::list TextsOf(const ArrowColumn& column) {
  nb::list texts;
  for (int64_t i = 0; i < column.size(); ++i) texts.append(TextAt(column, i));
  return texts;
}

// A list's values are an array, or a list of bytes; NULL is None.
nb::list ListsOf(const ArrowColumn& column, const nb::object& items) {
  nb::list lists;
  for (int64_t i = 0; i < column.size(); ++i) {
    const auto at = static_cast<size_t>(i);
    if (column.IsNull(i)) {
      lists.append(nb::none());
    } else {
      const nb::int_ begin(column.offsets()[at]);
      const nb::int_ end(column.offsets()[at + 1]);
      lists.append(items[nb::slice(begin, end, nb::none())]);
    }
  }
  return lists;
}

nb::object MaskOf(const ArrowColumn& column) {
  if (column.nulls() == 0) return nb::none();
  std::vector<uint8_t> mask(static_cast<size_t>(column.size()));
  for (int64_t i = 0; i < column.size(); ++i) mask[static_cast<size_t>(i)] = column.IsNull(i) ? 1 : 0;
  return ArrayOf<uint8_t, bool>(std::move(mask));
}

// (values, mask): an array and the mask of its NULLs or None; or a list of objects and None.
nb::tuple ReadColumn(const Columns& columns, const Rows& rows, nb::handle name) {
  const Column column = Unwrap(FindColumn(*columns.store, NameOf(name)), Asked::kQuery);
  const ArrowField field = Unwrap(FieldOf(*columns.store, column), Asked::kQuery);
  const auto values = std::make_shared<ArrowColumn>(RunInterruptibly([&](Progress& progress) -> Result<ArrowColumn> {
    ArrowColumn read(field.type, field.item);
    for (uint64_t at = 0; at < rows.size(); at += kRowsAtOnce) {
      if (progress.cancel) return Interrupted();
      const std::vector<uint64_t> ordinals = Ordinals(rows, at, std::min(kRowsAtOnce, rows.size() - at));
      OFINDEX_TRY(Gather(*columns.store, column, ordinals, read));
    }
    return read;
  }));
  switch (field.type) {
    case ValueType::kText:
    case ValueType::kBinary: return nb::make_tuple(TextsOf(*values), nb::none());
    case ValueType::kList: {
      const std::shared_ptr<const ArrowColumn> items(values, &values->items());
      const bool bytes = items->type() == ValueType::kText || items->type() == ValueType::kBinary;
      return nb::make_tuple(ListsOf(*values, bytes ? nb::object(TextsOf(*items)) : NumbersOf(items)), nb::none());
    }
    default: return nb::make_tuple(NumbersOf(values), MaskOf(*values));
  }
}

std::vector<Rows> SplitRows(const Columns& columns, const Rows& rows, std::vector<std::pair<std::string, double>> parts,
                            uint64_t seed, const std::optional<nb::object>& key,
                            const std::optional<nb::object>& stratify) {
  SplitOptions options;
  for (auto& [name, fraction] : parts) options.parts.push_back({std::move(name), fraction});
  options.seed = seed;
  if (key) options.key = Unwrap(FindColumn(*columns.store, NameOf(*key)), Asked::kQuery);
  if (stratify) options.stratify = Unwrap(FindColumn(*columns.store, NameOf(*stratify)), Asked::kQuery);
  return RunInterruptibly([&](Progress& progress) -> Result<std::vector<Rows>> {
    options.cancel = &progress.cancel;
    OFINDEX_ASSIGN(const std::vector<OrdinalSet> sets, Split(*columns.store, columns.store->records(), options));
    std::vector<Rows> split;
    for (const OrdinalSet& set : sets) split.push_back(rows.Where(set));
    return split;
  });
}

}  // namespace

void BindColumns(nb::module_& m) {
  m.def("open_columns", &OpenColumns, "path"_a);
  nb::class_<Columns>(m, "Columns")
      .def("where", &SelectRows, "expression"_a, "parameters"_a.none(), "among"_a)
      .def("stream", &Stream, "rows"_a, "names"_a.none())
      .def("column", &ReadColumn, "rows"_a, "name"_a)
      .def("split", &SplitRows, "rows"_a, "parts"_a, "seed"_a, "key"_a.none(), "stratify"_a.none())
      .def_prop_ro("names", [](const Columns& columns) {
        nb::list names;
        for (const Column& column : columns.store->columns()) names.append(TextOf(column.name));
        return names;
      });
}

}  // namespace ofindex::python
