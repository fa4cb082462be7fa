#pragma once

#include <nanobind/nanobind.h>

namespace ofindex::python {

/// Binds the shards being written: one for Writer, sets of them for pack().
void BindWriter(nanobind::module_& m);

}  // namespace ofindex::python
