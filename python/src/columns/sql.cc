#include "python/src/columns/sql.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>

#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/text.h"
#include "python/src/columns/arrow_stream.h"
#include "python/src/convert/arrays.h"
#include "python/src/convert/bytes.h"
#include "python/src/convert/objects.h"
#include "python/src/convert/values.h"
#include "python/src/interpreter/errors.h"
#include "python/src/interpreter/interruptible.h"
#include "python/src/records/records.h"
#include "query/sql/open_session.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace ofindex::python {
namespace {

Result<double> NumberOf(const SqlValue& value, uint64_t record) {
  switch (value.type) {
    case ColumnValue::Type::kNull: return std::numeric_limits<double>::quiet_NaN();
    case ColumnValue::Type::kInteger: return static_cast<double>(value.integer);
    case ColumnValue::Type::kReal: return value.real;
    default: break;
  }
  return Fail(ErrorCode::kUsage, StrCat("record ", record, ": the expression is '",
                                        Printable(AsText(value.bytes).substr(0, 64)), "'; expected a number or NULL"));
}

/// A statement being read. The session and the state of its statement limits live as long as it does.
class Cursor {
  template <typename Work>
  auto Run(const Work& work) {
    if (std::exchange(busy_, true)) Raise(ErrorCode::kUsage, "another thread reads these rows");
    struct Done {
      bool& busy;
      ~Done() { busy = false; }
    } done{busy_};
    try {
      return RunInterruptibly(work, *progress_, nullptr, Asked::kQuery);
    } catch (...) {
      ended_ = true;
      throw;
    }
  }

 public:
  Cursor(std::shared_ptr<SqlSession> session, const std::string& query, nb::handle parameters,
         std::optional<double> timeout)
      : session_(std::move(session)), progress_(std::make_unique<Progress>()) {
    const std::vector<SqlParameter> values = ParametersOf(parameters);
    SqlLimits limits;
    limits.cancel = &progress_->cancel;
    if (timeout) limits.timeout = std::chrono::nanoseconds(static_cast<int64_t>(*timeout * 1e9));
    rows_.emplace(Run([&](Progress&) { return session_->Query(query, values, limits); }));
  }

  [[nodiscard]] const std::vector<std::string>& columns() const { return rows_->columns(); }

  /// Returns at most `limit` further rows; none at the end.
  [[nodiscard]] nb::list Fetch(size_t limit) {
    Use(Taken::kAsTuples, "these rows were already read through Arrow");
    using Row = std::vector<ColumnValue>;
    const std::vector<Row> fetched = Run([&](Progress&) -> Result<std::vector<Row>> {
      std::vector<Row> some;
      while (some.size() < limit && !ended_) {
        OFINDEX_ASSIGN(const bool more, Step());
        if (more) some.push_back(TakeRow());
      }
      return some;
    });
    nb::list list;
    for (const Row& row : fetched) {
      const nb::object tuple = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(row.size())));
      for (size_t c = 0; c < row.size(); ++c) {
        SetTupleItem(tuple.ptr(), static_cast<Py_ssize_t>(c), ObjectOf(row[c]).release().ptr());
      }
      list.append(tuple);
    }
    return list;
  }

  /// Reads all rows, of a record's number and a number each, NaN for NULL. Returns both as arrays.
  [[nodiscard]] nb::object Numbers() {
    Use(Taken::kAsColumns, "rows were already fetched");
    std::vector<uint64_t> records;
    std::vector<double> numbers;
    Run([&](Progress&) -> Result<void> {
      while (!ended_) {
        OFINDEX_ASSIGN(const bool more, Step());
        if (!more) break;
        const SqlValue value = rows_->At(1);
        records.push_back(static_cast<uint64_t>(rows_->At(0).integer));
        OFINDEX_ASSIGN(numbers.emplace_back(), NumberOf(value, records.back()));
      }
      return {};
    });
    return nb::make_tuple(RowArray(std::move(records)), ArrayOf(std::move(numbers)));
  }

  /// Returns all rows as columns, each of the type that fits all of its values. Keeps the columns, because some
  /// consumers request a stream twice: once for the schema, and again for the rows.
  [[nodiscard]] nb::object Stream() {
    Use(Taken::kAsColumns, "rows were already fetched");
    if (!columns_) {
      if (ended_) Raise(ErrorCode::kUsage, "reading these rows failed", "run the statement again");
      columns_ = std::make_shared<const std::vector<ArrowColumn>>(Run([&](Progress&) { return ReadColumns(); }));
    }
    ArrowTable table;
    for (size_t c = 0; c < columns_->size(); ++c) {
      table.fields.push_back({.name = rows_->columns()[c], .type = (*columns_)[c].type()});
    }
    table.next = [held = columns_, given = false]() mutable -> Result<std::optional<ArrowTable::Batch>> {
      if (std::exchange(given, true)) return std::nullopt;
      const int64_t rows = held->empty() ? 0 : held->front().size();
      return ArrowTable::Batch{.rows = rows, .columns = held};
    };
    return StreamCapsule(std::move(table));
  }

 private:
  enum class Taken : uint8_t { kNot, kAsTuples, kAsColumns };

  // Rows are taken either as tuples or as columns. If both were allowed, the later one would silently miss rows.
  void Use(Taken as, const char* otherwise) {
    if (taken_ == Taken::kNot) taken_ = as;
    if (taken_ != as) Raise(ErrorCode::kUsage, otherwise, "run the statement again");
  }

  // Moves to the next row. A failed statement counts as ended, since SQLite would restart it.
  Result<bool> Step() {
    ended_ = true;
    Result<bool> more = rows_->Next();
    ended_ = !more || !*more;
    return more;
  }

  std::vector<ColumnValue> TakeRow() const {
    std::vector<ColumnValue> row(rows_->columns().size());
    for (size_t c = 0; c < row.size(); ++c) {
      const SqlValue value = rows_->At(c);
      row[c] = {
          .type = value.type, .integer = value.integer, .real = value.real, .bytes = std::string(AsText(value.bytes))};
    }
    return row;
  }

  Result<std::vector<ArrowColumn>> ReadColumns() {
    std::vector<ArrowColumn> columns;
    for (size_t c = 0; c < rows_->columns().size(); ++c) columns.emplace_back(ValueType::kNull);
    while (!ended_) {
      OFINDEX_ASSIGN(const bool more, Step());
      for (size_t c = 0; more && c < columns.size(); ++c) {
        const SqlValue value = rows_->At(c);
        if (columns[c].Add(value)) continue;
        const bool numbers = columns[c].IsNumeric() &&
                             (value.type == ColumnValue::Type::kInteger || value.type == ColumnValue::Type::kReal);
        return Fail(ErrorCode::kUsage,
                    StrCat("column '", Printable(rows_->columns()[c]), "' of the answer holds ",
                           numbers ? "reals and integers beyond 2**53" : "numbers and texts"),
                    "an Arrow column has a single type: use CAST(... AS TEXT)");
      }
    }
    return columns;
  }

  std::shared_ptr<SqlSession> session_;
  std::unique_ptr<Progress> progress_;
  std::optional<SqlRows> rows_;
  std::shared_ptr<const std::vector<ArrowColumn>> columns_;  // set once an Arrow stream was requested
  Taken taken_ = Taken::kNot;
  bool ended_ = false;
  bool busy_ = false;  // guarded by the GIL
};

}  // namespace

void BindSql(nb::module_& m) {
  nb::class_<SqlSession>(m, "Session")
      .def(
          "query",
          [](std::shared_ptr<SqlSession> session, const std::string& query, nb::handle parameters,
             std::optional<double> timeout) {
            return std::make_unique<Cursor>(std::move(session), query, parameters, timeout);
          },
          "query"_a, "parameters"_a.none(), "timeout"_a.none());
  m.def(
      "open_session",
      [](const Source& source) {
        return std::make_shared<SqlSession>(
            RunInterruptibly([&](const Progress&) { return OpenSession(*source.dataset.snapshot()); }));
      },
      "source"_a);
  nb::class_<Cursor>(m, "Cursor")
      .def_prop_ro("columns",
                   [](const Cursor& cursor) {
                     nb::list names;
                     for (const std::string& name : cursor.columns()) names.append(TextOf(name));
                     return names;
                   })
      .def("fetch", &Cursor::Fetch, "most"_a)
      .def("stream", &Cursor::Stream)
      .def("numbers", &Cursor::Numbers,
           nb::sig(
               "def numbers(self) -> tuple[numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.float64]]"));
}

}  // namespace ofindex::python
