#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "index/columns/column.h"
#include "index/columns/column_choice.h"

namespace ofindex {

/// Decides which columns the features have, and names them: sets `whole` and the three SQL names of each. `by_name` are
/// all features in byte order of their names. Returns how many features would have columns but for kMostAutoColumns.
///
/// A column is called after its feature; bytes that no SQL name can hold are written as \xNN,
/// and the empty name as _empty. Names that are taken, by
/// any other or by one of the records' own, compared as SQL does without regard to case, get _2, _3 and so on.
uint64_t NameColumns(std::span<FeatureRow* const> by_name, const ColumnChoice& choice);

}  // namespace ofindex
