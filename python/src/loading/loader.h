#pragma once

#include <nanobind/nanobind.h>

namespace ofindex::python {

/// Binds the loader, whose C++ threads prefetch batches.
void BindLoader(nanobind::module_& m);

}  // namespace ofindex::python
