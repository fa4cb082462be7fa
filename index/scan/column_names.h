#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "index/columns/column.h"
#include "index/columns/column_choice.h"

namespace ofindex {

/// Chooses which features have columns and names them: sets `whole`, the three SQL names and the derived columns of
/// each. `by_name` are all features in byte order of their names. Returns the number of features that have no column
/// because of kMaxAutoColumns.
///
/// A column is named after its feature. Bytes that an SQL name cannot hold are written as \xNN, the empty name as
/// _empty. A name that another column already has, or that is _id, _shard, _offset or _length, gets the suffix _2, _3
/// and so on; case is ignored, as in SQL. A name that a feature has already is kept as long as it has such a column,
/// and if none of its records is there. The names of derived columns precede all others.
uint64_t NameColumns(std::span<FeatureRow* const> by_name, const ColumnChoice& choice);

}  // namespace ofindex
