#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "index/columns/column.h"
#include "index/columns/column_choice.h"

namespace ofindex {

/// Chooses which features have columns and names them: sets `whole` and the three SQL names of each. `by_name` are all
/// features in byte order of their names. Returns the number of features that have no column because of
/// kMaxAutoColumns.
///
/// A column is named after its feature. Bytes that an SQL name cannot hold are written as \xNN, the empty name as
/// _empty. Names that are taken, by another column or one of the records' own, compared without regard to case as in
/// SQL, get the suffix _2, _3 and so on.
uint64_t NameColumns(std::span<FeatureRow* const> by_name, const ColumnChoice& choice);

}  // namespace ofindex
