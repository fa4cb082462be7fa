#include "python/src/convert/arrays.h"

namespace nb = nanobind;

namespace ofindex::python {
namespace {

int GetArrayBuffer(PyObject* self, Py_buffer* buffer, int /*flags*/) {
  Memory& memory = *nb::inst_ptr<Memory>(self);
  *buffer = {};
  buffer->buf = memory.data;
  buffer->obj = Py_NewRef(self);
  buffer->len = memory.size * memory.item_bytes;
  buffer->itemsize = memory.item_bytes;
  buffer->ndim = 1;
  buffer->format = const_cast<char*>(memory.format);
  buffer->shape = &memory.size;
  buffer->strides = &memory.item_bytes;
  return 0;
}

// Returns numpy's asarray. Imports numpy when the first array is made, so that building the package does not need it.
// The reference is never released, because the interpreter ends before statics are destroyed.
const nb::object& AsArray() {
  static const nb::object* as_array = nullptr;  // guarded by the GIL
  if (as_array == nullptr) as_array = new nb::object(nb::module_::import_("numpy").attr("asarray"));
  return *as_array;
}

PyType_Slot memory_slots[] = {{Py_bf_getbuffer, reinterpret_cast<void*>(GetArrayBuffer)}, {0, nullptr}};

}  // namespace

nb::object ArrayOf(Memory memory) { return AsArray()(nb::cast(std::move(memory))); }

void BindArrays(nb::module_& m) { nb::class_<Memory>(m, "Memory", nb::type_slots(memory_slots)); }

}  // namespace ofindex::python
