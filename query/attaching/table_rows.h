#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "proto/features.h"

namespace ofindex {

/// One value of a table.
struct TableValue {
  FeatureKind kind = FeatureKind::kNone;  ///< kNone is NULL; never kInt32
  uint64_t bits = 0;                      ///< of an int64, double or float; the float's are the low 32
  ByteView bytes = {};                    ///< of kBytes; valid until the next batch
};

/// Some consecutive rows of a table, by column.
struct TableBatch {
  size_t rows = 0;
  std::vector<std::vector<TableValue>> columns = {};  ///< in the order of the table, with at least `rows` values each
};

/// A table whose rows belong to records: CSV, or anything else that can be read once, in batches.
class TableRows {
 public:
  virtual ~TableRows() = default;

  [[nodiscard]] virtual const std::string& name() const = 0;  ///< in messages
  [[nodiscard]] virtual const std::vector<std::string>& columns() const = 0;

  /// Called before the rows are read if the values of column `column` are compared with bytes: a table of texts must
  /// not turn them into numbers.
  virtual void KeepTexts(size_t /*column*/) {}

  /// Succeeds if the values of column `column` can be attached. Errors: kFormat if they are lists, or of a type that
  /// no column has.
  [[nodiscard]] virtual Result<void> CheckColumn(size_t /*column*/) const { return {}; }

  /// Calls `take` for all rows in order, at most kMaxBatchRows at once. Called once. Errors: those of reading and of
  /// `take`.
  using TakeBatch = std::function<Result<void>(const TableBatch&)>;
  [[nodiscard]] virtual Result<void> ForEachBatch(const TakeBatch& take) = 0;

  static constexpr size_t kMaxBatchRows = 16384;
};

}  // namespace ofindex
