#pragma once

#include <nanobind/nanobind.h>

namespace ofindex::python {

/// Binds attach and detach.
void BindAttaching(nanobind::module_& m);

}  // namespace ofindex::python
