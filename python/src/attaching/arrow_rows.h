#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "python/src/columns/arrow.h"
#include "query/attaching/table_rows.h"

namespace ofindex::python {

/// The rows of a stream of Arrow's C interface, from Polars, pandas, pyarrow, DuckDB or anything else. Owns the stream;
/// does not move. Not thread-safe; used without the GIL, which a stream takes if it needs it.
class ArrowRows final : public TableRows {
 public:
  /// Takes over `stream`, whose release is not null.
  ArrowRows(ArrowArrayStream stream, std::string name) : stream_(stream), name_(std::move(name)) {}
  ArrowRows(const ArrowRows&) = delete;
  ArrowRows& operator=(const ArrowRows&) = delete;
  ~ArrowRows() override;

  /// Reads the schema. Call it first. Errors: kFormat if the stream fails, or is not one of tables.
  [[nodiscard]] Result<void> ReadSchema();

  const std::string& name() const override { return name_; }
  const std::vector<std::string>& columns() const override { return columns_; }
  Result<void> CheckColumn(size_t column) const override;
  Result<void> ForEachBatch(const TakeBatch& take) override;

  /// Sets a value that is not NULL to item `i` of `array`. Returns false if it does not fit 64 bits with a sign.
  using ReadItem = bool (*)(const ArrowArray& array, int64_t i, TableValue& value);

 private:
  struct Field {
    std::string format;             // of the values, in a dictionary or not
    ReadItem read = nullptr;        // null: no column has such values
    ReadItem read_index = nullptr;  // of a dictionary; null: there is none
    int64_t width = 0;              // of binaries of a fixed size
  };

  [[nodiscard]] static Field FieldOf(const ArrowSchema& schema);
  [[nodiscard]] Result<void> Pass(const ArrowArray& table, const TakeBatch& take);
  [[nodiscard]] Result<TableValue> ValueAt(const Field& field, const ArrowArray& array, int64_t i) const;
  [[nodiscard]] tl::unexpected<Error> Failed();
  [[nodiscard]] tl::unexpected<Error> Broken(const std::string& what) const;
  [[nodiscard]] Result<void> CheckBatch(const ArrowArray& table) const;

  ArrowArrayStream stream_;
  std::string name_;
  std::vector<std::string> columns_;
  std::vector<Field> fields_;
  TableBatch batch_;
};

}  // namespace ofindex::python
