#include <nanobind/nanobind.h>

#include "python/src/attaching/attaching.h"
#include "python/src/auditing/auditing.h"
#include "python/src/columns/building.h"
#include "python/src/columns/catalog.h"
#include "python/src/columns/columns.h"
#include "python/src/columns/sql.h"
#include "python/src/convert/arrays.h"
#include "python/src/loading/decoder.h"
#include "python/src/loading/length_batches.h"
#include "python/src/loading/loader.h"
#include "python/src/loading/sampler.h"
#include "python/src/loading/steps.h"
#include "python/src/records/decode_one.h"
#include "python/src/records/keys.h"
#include "python/src/records/records.h"
#include "python/src/writing/writer.h"

// The private half of the package ofindex: it converts arguments, releases the GIL and raises errors. The public
// interface and its documentation are in the Python files.
NB_MODULE(_ofindex, m) {
  m.attr("version") = OFINDEX_VERSION;
  // Objects that other threads still hold when the interpreter ends are not leaks of this module.
  nanobind::set_leak_warnings(false);
  ofindex::python::BindArrays(m);
  ofindex::python::BindRecords(m);
  ofindex::python::BindColumns(m);
  ofindex::python::BindAttaching(m);
  ofindex::python::BindAuditing(m);
  ofindex::python::BindSampler(m);
  ofindex::python::BindSteps(m);
  ofindex::python::BindSql(m);
  ofindex::python::BindCatalog(m);
  ofindex::python::BindBuilding(m);
  ofindex::python::BindDecodeOne(m);
  ofindex::python::BindKeys(m);
  ofindex::python::BindDecoder(m);
  ofindex::python::BindLengthBatches(m);
  ofindex::python::BindLoader(m);
  ofindex::python::BindWriter(m);
}
