#pragma once

#include <nanobind/nanobind.h>

namespace ofindex::python {

void BindSql(nanobind::module_& m);

}  // namespace ofindex::python
