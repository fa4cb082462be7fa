#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "base/result.h"
#include "python/src/columns/arrow_column.h"
#include "query/columns/column_store.h"

namespace ofindex::python {

/// Returns the column as an Arrow field. A column of floats only is kFloat32; a column of other numbers is kFloat64,
/// unless all are integers; a column of bytes is kBinary, unless all are text. Errors: kUsage if the column holds both
/// numbers and bytes.
[[nodiscard]] Result<ArrowField> FieldOf(const ColumnStore& store, const Column& column);

/// Adds the values of `column` at `ordinals` to `out`, whose type must be that of FieldOf(). Consecutive ordinals are
/// fastest, because each block is then looked up once. Errors: kUsage, kIndex, kIo, kLimit.
[[nodiscard]] Result<void> Gather(ColumnStore& store, const Column& column, std::span<const uint64_t> ordinals,
                                  ArrowColumn& out);

}  // namespace ofindex::python
