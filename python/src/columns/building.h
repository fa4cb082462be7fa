#pragma once

#include <nanobind/nanobind.h>

namespace ofindex::python {

/// Binds the functions that build, update and verify an index. They return dicts with the keys of the command's JSON.
void BindBuilding(nanobind::module_& m);

}  // namespace ofindex::python
