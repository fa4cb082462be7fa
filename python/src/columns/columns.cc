#include "python/src/columns/columns.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "python/src/columns/arrow_stream.h"
#include "python/src/columns/column_gather.h"
#include "python/src/convert/arrays.h"
#include "python/src/convert/bytes.h"
#include "python/src/convert/values.h"
#include "python/src/interpreter/errors.h"
#include "python/src/interpreter/interruptible.h"
#include "python/src/records/present_rows.h"
#include "python/src/records/rows.h"
#include "query/columns/find_column.h"
#include "query/sampling/columns/split.h"
#include "query/sampling/sets/set_of.h"
#include "query/sql/where.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace ofindex::python {
namespace {

// Rows per batch of a stream, and per step when a whole column is read.
constexpr uint64_t kRowsAtOnce = 65536;

Rows SelectRows(const Source& source, const std::string& expression, nb::handle parameters, const Rows& among) {
  const std::vector<SqlParameter> values = ParametersOf(parameters);
  const std::shared_ptr<ColumnStore> store = ColumnsOf(source);
  return RunInterruptibly(
      [&](Progress& progress) -> Result<Rows> {
        SqlLimits limits;
        limits.cancel = &progress.cancel;
        OFINDEX_ASSIGN(const std::shared_ptr<SharedCatalog> catalog, source.dataset.snapshot()->Catalog());
        OFINDEX_ASSIGN(const Selection selection, Where(store, expression, values, limits, catalog));
        return among.Where(SetOf(selection));
      },
      Asked::kQuery);
}

// Returns the ordinals of the rows [begin, begin + count).
std::vector<uint64_t> Ordinals(const Rows& rows, uint64_t begin, uint64_t count) {
  std::vector<uint64_t> ordinals(count);
  std::iota(ordinals.begin(), ordinals.end(), begin);
  rows.Map(ordinals);
  return ordinals;
}

// Returns the first record of `ordinals` that has more than one value, although the column stores only single values.
Result<std::optional<uint64_t>> FindList(ColumnStore& store, const Column& column,
                                         const std::vector<uint64_t>& ordinals) {
  Column counts = column;
  counts.role = ColumnRole::kCount;
  ArrowColumn read(ValueType::kInt64);
  OFINDEX_TRY(Gather(store, counts, ordinals, read));
  for (size_t i = 0; i < ordinals.size(); ++i) {
    if (static_cast<int64_t>(LoadLe64(read.data().data() + 8 * i)) > 1) return ordinals[i];
  }
  return std::nullopt;
}

// Returns whether some records have a list of the feature's values, for which `column` stores only NULL.
bool LacksLists(const ColumnStore& store, const Column& column) {
  return column.origin == Column::Origin::kFeature && column.role == ColumnRole::kValue && !column.is_list() &&
         store.features()[column.feature].values_max > 1;
}

// Fails unless `column` has all values of its feature for each of `rows`. A request by feature name needs all values.
Result<void> CheckValues(ColumnStore& store, const Column& column, std::string_view name, const Rows& rows,
                         const Progress& progress) {
  if (column.origin != Column::Origin::kFeature || column.is_list()) return {};
  const FeatureRow& feature = store.features()[column.feature];
  const std::string shown = Printable(feature.name);
  const std::string hint =
      StrCat("store them with build(..., columns=['auto', '", shown, "'], force=True), or read them with batch()");
  if (column.role != ColumnRole::kValue) {
    if (Folded(column.name) == Folded(name)) return {};  // requested by its own name
    const bool sizes = column.role == ColumnRole::kSize;
    const std::string number = sizes ? StrCat("up to ", FormatCount(feature.largest_bytes), " bytes a value")
                                     : StrCat("up to ", FormatCount(feature.values_max), " values a record");
    return Fail(ErrorCode::kUsage,
                StrCat("feature '", shown, "' has ", number, ", which are not stored in the index; '",
                       Printable(column.name), "' is their ", sizes ? "size" : "number"),
                hint);
  }
  if (!LacksLists(store, column)) return {};
  for (uint64_t at = 0; at < rows.size(); at += kRowsAtOnce) {
    if (progress.cancel) return Interrupted();
    const std::vector<uint64_t> ordinals = Ordinals(rows, at, std::min(kRowsAtOnce, rows.size() - at));
    OFINDEX_ASSIGN(const std::optional<uint64_t> record, FindList(store, column, ordinals));
    if (!record) continue;
    return Fail(ErrorCode::kUsage,
                StrCat("feature '", shown, "' has more than one value in record ", *record,
                       ", and its lists are not stored in the index"),
                hint);
  }
  return {};
}

// Returns the column with the SQL name `name`, or the column that has all values of the feature `name` for `rows`.
Column ValuesNamed(ColumnStore& store, nb::handle name, const Rows& rows) {
  const std::string text = NameOf(name);
  Column column = Unwrap(FindColumn(store, text), Asked::kQuery);
  RunInterruptibly([&](Progress& progress) { return CheckValues(store, column, text, rows, progress); }, Asked::kQuery);
  return column;
}

nb::object Stream(const Source& source, const Rows& numbered, const std::optional<std::vector<nb::object>>& names) {
  const Rows rows = PresentRows(source, numbered);
  const std::shared_ptr<ColumnStore> store = ColumnsOf(source);
  std::vector<Column> wanted;
  for (const Column& column : store->columns()) {
    if (!names && !column.is_hidden() && !LacksLists(*store, column)) wanted.push_back(column);
  }
  for (size_t i = 0; names && i < names->size(); ++i) wanted.push_back(ValuesNamed(*store, (*names)[i], rows));
  ArrowTable table;
  for (const Column& column : wanted) table.fields.push_back(Unwrap(FieldOf(*store, column), Asked::kQuery));
  const std::vector<ArrowField> fields = table.fields;
  table.next = [store, rows, wanted, fields, at = uint64_t{0}]() mutable -> Result<std::optional<ArrowTable::Batch>> {
    if (at >= rows.size()) return std::nullopt;
    const uint64_t count = std::min(kRowsAtOnce, rows.size() - at);
    const std::vector<uint64_t> ordinals = Ordinals(rows, at, count);
    std::vector<ArrowColumn> read;
    for (size_t c = 0; c < wanted.size(); ++c) {
      ArrowColumn& column = read.emplace_back(fields[c].type, fields[c].item);
      OFINDEX_TRY(Gather(*store, wanted[c], ordinals, column));
    }
    at += count;
    return ArrowTable::Batch{.rows = static_cast<int64_t>(count),
                             .columns = std::make_shared<const std::vector<ArrowColumn>>(std::move(read))};
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

// Returns the lists: each is an array, or a list of bytes; NULL is None.
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

// Returns (values, mask): an array and the mask of its NULLs or None; or a list of objects and None.
nb::tuple ReadColumn(const Source& source, const Rows& numbered, nb::handle name) {
  const Rows rows = PresentRows(source, numbered);
  const std::shared_ptr<ColumnStore> store = ColumnsOf(source);
  const Column column = ValuesNamed(*store, name, rows);
  const ArrowField field = Unwrap(FieldOf(*store, column), Asked::kQuery);
  const auto values = std::make_shared<ArrowColumn>(RunInterruptibly(
      [&](Progress& progress) -> Result<ArrowColumn> {
        ArrowColumn read(field.type, field.item);
        for (uint64_t at = 0; at < rows.size(); at += kRowsAtOnce) {
          if (progress.cancel) return Interrupted();
          const std::vector<uint64_t> ordinals = Ordinals(rows, at, std::min(kRowsAtOnce, rows.size() - at));
          OFINDEX_TRY(Gather(*store, column, ordinals, read));
        }
        return read;
      },
      Asked::kQuery));
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

std::vector<Rows> SplitRows(const Source& source, const Rows& rows, std::vector<std::pair<std::string, double>> parts,
                            uint64_t seed, const std::optional<nb::object>& key,
                            const std::optional<nb::object>& stratify) {
  const std::shared_ptr<ColumnStore> store = ColumnsOf(source);
  SplitOptions options;
  for (auto& [name, fraction] : parts) options.parts.push_back({std::move(name), fraction});
  options.seed = seed;
  if (key) options.key = Unwrap(FindValueColumn(*store, NameOf(*key)), Asked::kQuery);
  if (stratify) options.stratify = Unwrap(FindValueColumn(*store, NameOf(*stratify)), Asked::kQuery);
  return RunInterruptibly([&](Progress& progress) -> Result<std::vector<Rows>> {
    options.cancel = &progress.cancel;
    OFINDEX_ASSIGN(const std::vector<OrdinalSet> sets, Split(*store, store->ordinals(), options));
    std::vector<Rows> split;
    for (const OrdinalSet& set : sets) split.push_back(rows.Where(set));
    return split;
  });
}

nb::list NamesOf(const Source& source) {
  nb::list names;
  for (const Column& column : ColumnsOf(source)->columns()) {
    if (!column.is_hidden()) names.append(TextOf(column.name));
  }
  return names;
}

nb::list ListsNotStored(const Source& source) {
  const std::shared_ptr<ColumnStore> store = ColumnsOf(source);
  nb::list names;
  for (const Column& column : store->columns()) {
    if (LacksLists(*store, column)) names.append(TextOf(store->features()[column.feature].name));
  }
  return names;
}

}  // namespace

std::shared_ptr<ColumnStore> ColumnsOf(const Source& source) {
  return RunInterruptibly([&](const Progress&) { return source.dataset.snapshot()->Columns(); });
}

void BindColumns(nb::module_& m) {
  m.def("where", &SelectRows, "source"_a, "expression"_a, "parameters"_a.none(), "among"_a);
  m.def("stream", &Stream, "source"_a, "rows"_a, "names"_a.none());
  m.def("column", &ReadColumn, "source"_a, "rows"_a, "name"_a.none());
  m.def("split", &SplitRows, "source"_a, "rows"_a, "parts"_a, "seed"_a, "key"_a.none(), "stratify"_a.none());
  m.def("column_names", &NamesOf, "source"_a);
  m.def("lists_not_stored", &ListsNotStored, "source"_a);
}

}  // namespace ofindex::python
