#pragma once

#include <nanobind/nanobind.h>

namespace ofindex::python {

/// Shards being written: one, for Writer, and sets of them, for pack().
void BindWriter(nanobind::module_& m);

}  // namespace ofindex::python
