#pragma once

#include <nanobind/nanobind.h>

namespace ofindex::python {

/// Binds lookups of records by the value of a feature.
void BindKeys(nanobind::module_& m);

}  // namespace ofindex::python
