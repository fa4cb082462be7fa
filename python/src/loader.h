#pragma once

#include <nanobind/nanobind.h>

namespace ofindex::python {

/// Batches that are read ahead by threads of C++.
void BindLoader(nanobind::module_& m);

}  // namespace ofindex::python
