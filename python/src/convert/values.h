#pragma once

#include <nanobind/nanobind.h>

#include <vector>

#include "index/chunks/chunk.h"
#include "query/sql/sql_session.h"

namespace ofindex::python {

/// Returns an SQL value as None, int, float, str or bytes.
[[nodiscard]] nanobind::object ObjectOf(const Chunk::Value& value);
[[nodiscard]] nanobind::object ObjectOf(const ColumnValue& value);

/// Converts a statement's parameters: a sequence for ?, or a mapping for :name. Raises TypeError for a value that SQL
/// does not have, OverflowError for an integer beyond 64 bits.
[[nodiscard]] std::vector<SqlParameter> ParametersOf(nanobind::handle parameters);

}  // namespace ofindex::python
