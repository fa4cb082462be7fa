#include "python/src/columns/arrow_stream.h"

#include <cerrno>
#include <string>
#include <utility>

#include "base/allocation.h"
#include "python/src/interpreter/python_words.h"

namespace nb = nanobind;

namespace ofindex::python {
namespace {

struct OwnedStream {
  ArrowTable table;
  std::string error;
};

OwnedStream& Of(ArrowArrayStream* stream) { return *static_cast<OwnedStream*>(stream->private_data); }

int Fail(OwnedStream& stream, const Error& error) {
  stream.error = TextInPython(error);
  return error.code == ErrorCode::kLimit ? ENOMEM : EIO;
}

int GetSchema(ArrowArrayStream* stream, ArrowSchema* out) {
  ExportSchema(Of(stream).table.fields, *out);
  return 0;
}

int GetNext(ArrowArrayStream* stream, ArrowArray* out) {
  OwnedStream& owned = Of(stream);
  *out = {};
  auto batch = WithMemory("a batch of rows", [&] { return owned.table.next(); });
  if (!batch) return Fail(owned, batch.error());
  if (!*batch) return 0;
  ExportBatch((*batch)->columns, (*batch)->rows, *out);
  return 0;
}

const char* GetLastError(ArrowArrayStream* stream) {
  const OwnedStream& owned = Of(stream);
  return owned.error.empty() ? nullptr : owned.error.c_str();
}

void ReleaseStream(ArrowArrayStream* stream) {
  delete static_cast<OwnedStream*>(stream->private_data);
  stream->release = nullptr;
}

}  // namespace

nb::object StreamCapsule(ArrowTable table) {
  auto* const stream = new ArrowArrayStream{.get_schema = &GetSchema,
                                            .get_next = &GetNext,
                                            .get_last_error = &GetLastError,
                                            .release = &ReleaseStream,
                                            .private_data = new OwnedStream{std::move(table), {}}};
  PyObject* const capsule = PyCapsule_New(stream, "arrow_array_stream", [](PyObject* self) {
    auto* const owned = static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(self, "arrow_array_stream"));
    if (owned->release != nullptr) owned->release(owned);
    delete owned;
  });
  return nb::steal(capsule);
}

}  // namespace ofindex::python
