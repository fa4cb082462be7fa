#pragma once

#include <nanobind/nanobind.h>

namespace ofindex::python {

/// Binds Dataset.record(), which returns all features of one record as a dict.
void BindDecodeOne(nanobind::module_& m);

}  // namespace ofindex::python
