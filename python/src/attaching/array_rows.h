#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "query/attaching/table_rows.h"

namespace ofindex::python {

/// A column in memory that others own: items of 8 bytes, or of 4 if they are floats; or byte strings, whose ends are
/// `offsets` and which `data` has one after the other.
struct ArrayColumn {
  std::string name;
  FeatureKind kind = FeatureKind::kInt64;
  const uint8_t* data = nullptr;
  const int64_t* offsets = nullptr;  ///< of byte strings: one more than rows
  const uint8_t* nulls = nullptr;    ///< a byte for each row, 1 for NULL; may be null
};

/// Rows of arrays in memory, which must outlive this. Not thread-safe.
class ArrayRows final : public TableRows {
 public:
  ArrayRows(std::vector<ArrayColumn> columns, uint64_t rows, std::string name);

  const std::string& name() const override { return name_; }
  const std::vector<std::string>& columns() const override { return names_; }
  Result<void> ForEachBatch(const TakeBatch& take) override;

 private:
  std::vector<ArrayColumn> columns_;
  uint64_t rows_;
  std::string name_;
  std::vector<std::string> names_;
};

}  // namespace ofindex::python
