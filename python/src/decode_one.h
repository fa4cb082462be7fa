#pragma once

#include <nanobind/nanobind.h>

namespace ofindex::python {

/// All features of one record, as a dict: Dataset.record().
void BindDecodeOne(nanobind::module_& m);

}  // namespace ofindex::python
