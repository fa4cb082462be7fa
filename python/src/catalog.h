#pragma once

#include <nanobind/nanobind.h>

namespace ofindex::python {

/// What an index says of its dataset, builds and verifies it: as dicts, of the keys that the command's JSON has.
void BindCatalog(nanobind::module_& m);

}  // namespace ofindex::python
