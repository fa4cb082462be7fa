#pragma once

#include <nanobind/nanobind.h>

namespace ofindex::python {

/// Binds the functions that describe an index. They return dicts with the keys of the command's JSON.
void BindCatalog(nanobind::module_& m);

}  // namespace ofindex::python
