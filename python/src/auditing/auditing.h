#pragma once

#include <nanobind/nanobind.h>

namespace ofindex::python {

/// Binds the audit of datasets.
void BindAuditing(nanobind::module_& m);

}  // namespace ofindex::python
