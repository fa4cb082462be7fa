#include "python/src/records/records.h"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <functional>
#include <optional>
#include <span>
#include <utility>

#include "base/text.h"
#include "mmap/record_batch.h"
#include "python/src/convert/arrays.h"
#include "python/src/convert/bytes.h"
#include "python/src/convert/indices.h"
#include "python/src/convert/objects.h"
#include "python/src/interpreter/errors.h"
#include "python/src/interpreter/interruptible.h"
#include "python/src/records/present_rows.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace ofindex::python {
namespace {

// Below this size, releasing and retaking the GIL takes longer than a read from the cache.
constexpr uint64_t kWorthTheGil = 4096;

// Batches are copied here first, so that the copy runs without the GIL. A larger buffer is released after use.
constexpr size_t kMaxKeptBytes = size_t{64} << 20;
thread_local RecordBatch copied;

IoMode IoModeOf(const std::string& io) {
  if (io == "auto") return IoMode::kAuto;
  if (io == "mmap") return IoMode::kMmap;
  if (io == "pread") return IoMode::kPread;
  Raise(ErrorCode::kUsage, StrCat("io='", io, "': expected 'auto', 'mmap' or 'pread'"));
}

std::shared_ptr<Source> OpenSource(nb::handle path, nb::handle root, const std::string& io, bool allow_bad,
                                   uint64_t cache_bytes, const std::vector<nb::object>& attach) {
  const std::string name = PathOf(path);
  const ReaderOptions options{
      .io = IoModeOf(io), .root = PathOf(root), .allow_bad = allow_bad, .inflated_cache_bytes = cache_bytes};
  // Opening an existing map takes no time, but making a new one may take long.
  SnapshotOptions snapshot;
  for (const nb::object& file : attach) snapshot.attachments.push_back(PathOf(file));
  Dataset dataset =
      RunInterruptibly([&](const Progress& progress) { return Dataset::Open(name, options, progress, snapshot); });
  return std::make_shared<Source>(std::move(dataset), allow_bad);
}

// Calls the named method of the first of `arguments` with the others. Returns null with a Python error set.
PyObject* CallMethod(const char* name, std::span<PyObject* const> arguments) {
  const nb::object method = nb::steal(PyUnicode_InternFromString(name));
  if (!method.is_valid()) return nullptr;
  return PyObject_VectorcallMethod(method.ptr(), arguments.data(), arguments.size(), nullptr);
}

// Returns a record as `bytes`, read directly into the object. Returns null with a Python error set.
PyObject* ReadOne(const RecordReader& reader, uint64_t ordinal) {
  PyObject* bytes = nullptr;
  PyThreadState* released = nullptr;
  const auto take_gil = [&] {
    if (released != nullptr) PyEval_RestoreThread(std::exchange(released, nullptr));
  };
  const auto room = [&](uint64_t length) -> uint8_t* {
    take_gil();
    Py_XDECREF(std::exchange(bytes, nullptr));
    bytes = PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(length));
    if (bytes == nullptr) PyErr_Clear();
    if (length >= kWorthTheGil || reader.inflates()) released = PyEval_SaveThread();
    return bytes == nullptr ? nullptr : NewBytes(bytes);
  };
  Result<void> read;
  if (!reader.TryCopyTo(ordinal, std::ref(room))) {
    // Slow path: a shard must be opened or inflated, or an error determined.
    if (released == nullptr) released = PyEval_SaveThread();
    read = reader.CopyTo(ordinal, std::ref(room));
  }
  take_gil();
  if (read) return bytes;
  Py_XDECREF(bytes);
  SetError(read.error());
  return nullptr;
}

nb::list ReadMany(nb::handle_t<Records> self, nb::handle numbers) {
  const std::vector<uint64_t> ordinals = OrdinalsOf(self, numbers);
  const RecordReader& reader = nb::inst_ptr<Records>(self)->reader();
  // Created first: it may trigger garbage collection, which may run code that reads another batch on this thread.
  const nb::object list = nb::steal(PyList_New(static_cast<Py_ssize_t>(ordinals.size())));
  if (!list.is_valid()) throw nb::python_error();
  PyObject_GC_UnTrack(list.ptr());  // must not be visible while it is empty
  Result<void> read;
  {
    nb::gil_scoped_release release;
    read = reader.CopyInto(ordinals, copied);
  }
  Unwrap(std::move(read));
  for (size_t i = 0; i < ordinals.size(); ++i) {
    const ByteView payload = copied[i];
    PyObject* bytes = PyBytes_FromStringAndSize(reinterpret_cast<const char*>(payload.data()),
                                                static_cast<Py_ssize_t>(payload.size()));
    if (bytes == nullptr) throw nb::python_error();
    SetListItem(list.ptr(), static_cast<Py_ssize_t>(i), bytes);
  }
  PyObject_GC_Track(list.ptr());
  if (copied.bytes().size() > kMaxKeptBytes) copied = RecordBatch();
  return nb::borrow<nb::list>(list);
}

// A payload in the map, with the dataset that keeps it alive.
struct Payload {
  std::shared_ptr<const Source> source;
  ByteView bytes;
};

int GetBuffer(PyObject* self, Py_buffer* buffer, int flags) {
  const ByteView bytes = nb::inst_ptr<Payload>(self)->bytes;
  return PyBuffer_FillInfo(buffer, self, const_cast<uint8_t*>(bytes.data()), static_cast<Py_ssize_t>(bytes.size()),
                           /*readonly=*/1, flags);
}

PyType_Slot payload_slots[] = {{Py_bf_getbuffer, reinterpret_cast<void*>(GetBuffer)}, {0, nullptr}};

nb::object BufferOf(nb::handle_t<Records> self, nb::handle number) {
  Records& records = *nb::inst_ptr<Records>(self);
  const Rows& rows = records.rows(self.ptr());
  const uint64_t ordinal = rows.At(IndexOf(number, rows.size()));
  // The GIL is released while a shard is opened or inflated, or a disk is waited for.
  std::optional<ByteView> bytes = records.reader().ViewAtOnce(ordinal);
  if (!bytes) {
    Result<ByteView> viewed;
    {
      const nb::gil_scoped_release release;
      viewed = records.reader().View(ordinal);
    }
    bytes = Unwrap(std::move(viewed));
  }
  const nb::object payload = nb::cast(Payload{records.source(), *bytes});
  return nb::steal(PyMemoryView_FromObject(payload.ptr()));
}

Py_ssize_t Length(PyObject* self) {
  Records& records = *nb::inst_ptr<Records>(self);
  const Rows* rows = records.TryRows(self);
  if (rows == nullptr) return -1;
  return static_cast<Py_ssize_t>(HasGaps(*records.source(), *rows) ? records.reader().live() : rows->size());
}

// Returns whether `key` is a single number. Python takes one-element arrays and tensors for numbers too, but here they
// are lists.
bool IsNumber(PyObject* key) {
  if (PyLong_CheckExact(key)) return true;
  if (!PyIndex_Check(key) || PyBool_Check(key)) return false;
  if (PyLong_Check(key)) return true;
  const nb::object dimensions = nb::steal(PyObject_GetAttrString(key, "ndim"));
  if (!dimensions.is_valid()) PyErr_Clear();
  return !dimensions.is_valid() || (PyLong_Check(dimensions.ptr()) && PyLong_AsLong(dimensions.ptr()) == 0);
}

// ds[key]: a number returns bytes; any other key is passed to the Python class.
PyObject* GetItem(PyObject* self, PyObject* key) {
  if (!IsNumber(key)) {
    PyObject* arguments[] = {self, key};
    return CallMethod("_view_of", arguments);
  }
  Records& records = *nb::inst_ptr<Records>(self);
  const Rows* rows = records.TryRows(self);
  if (rows == nullptr) return nullptr;
  uint64_t index = 0;
  try {
    index = IndexOf(nb::handle(key), rows->size());
  } catch (nb::python_error& error) {
    error.restore();
    return nullptr;
  }
  return ReadOne(records.reader(), rows->At(index));
}

// Used by iteration without __iter__, and by PySequence_GetItem.
PyObject* GetItemAt(PyObject* self, Py_ssize_t number) {
  Records& records = *nb::inst_ptr<Records>(self);
  const Rows* rows = records.TryRows(self);
  if (rows == nullptr) return nullptr;
  if (number < 0 || static_cast<uint64_t>(number) >= rows->size()) {
    PyErr_SetString(PyExc_IndexError, "no more records");
    return nullptr;
  }
  return ReadOne(records.reader(), rows->At(static_cast<uint64_t>(number)));
}

PyType_Slot record_slots[] = {{Py_sq_length, reinterpret_cast<void*>(Length)},
                              {Py_mp_length, reinterpret_cast<void*>(Length)},
                              {Py_sq_item, reinterpret_cast<void*>(GetItemAt)},
                              {Py_mp_subscript, reinterpret_cast<void*>(GetItem)},
                              {0, nullptr}};

nb::tuple Locate(nb::handle_t<Records> self, nb::handle number) {
  Records& records = *nb::inst_ptr<Records>(self);
  const Rows& rows = records.rows(self.ptr());
  const uint64_t ordinal = rows.At(IndexOf(number, rows.size()));
  const RecordLocation location = Unwrap(records.reader().Locate(ordinal));
  const std::string path = Unwrap(records.reader().ShardPath(location.shard));
  return nb::make_tuple(TextOf(path), location.offset, location.length);
}

constexpr char kBufferDoc[] =
    R"(Return the payload of one record as a view into the mapped shard, without a copy. Valid as long as it is held.
If the file is truncated under it, using it ends the process.

Raises:
    IndexError: there is no such record, or it is gone. LimitError: the record is in a compressed shard, and the
    buffers of such records already take ``cache_bytes``. DamageError, StaleError: as `Dataset`.)";

constexpr char kLocateDoc[] =
    R"(Return where one record is: the path of its shard, the byte at which its framing begins there (in a compressed
shard, of the inflated bytes), and the length of its payload in bytes.

Raises:
    IndexError: there is no such record, or it is gone.)";

constexpr char kOrdinalsDoc[] =
    R"(Return the ordinals, the numbers in the whole dataset, of the records `numbers`: integers, or an array of them.

Raises:
    IndexError: a record does not exist.)";

void BindRows(nb::module_& m) {
  nb::class_<Rows>(m, "Rows")
      .def("__len__", &Rows::size)
      .def("is_all", &Rows::IsAll, "ordinals"_a)
      .def("fingerprint", &Rows::Fingerprint, nb::call_guard<nb::gil_scoped_release>())
      .def("serialize", [](const Rows& rows) { return BytesOf(rows.Serialize()); })
      .def_static(
          "parse",
          [](nb::bytes bytes, uint64_t ordinals) {
            return Unwrap(Rows::Parse({static_cast<const uint8_t*>(bytes.data()), bytes.size()}, ordinals));
          },
          "bytes"_a, "ordinals"_a);
}

void BindPresentRows(nb::module_& m) {
  m.def("present_rows", &PresentRows, "source"_a, "rows"_a);
  m.def("slice_rows", &SliceRows, "source"_a, "rows"_a, "start"_a, "step"_a, "count"_a);
  m.def(
      "pick_rows",
      [](const Source& source, const Rows& rows, nb::handle numbers) {
        return PickRows(source, rows, IndicesOf(numbers, rows.size()));
      },
      "source"_a, "rows"_a, "numbers"_a);
}

}  // namespace

const Rows* Records::TryRows(PyObject* self) {
  if (rows_) return rows_.get();
  const nb::object resolved = nb::steal(CallMethod("_resolve", {&self, 1}));
  std::shared_ptr<Rows> rows;
  if (!resolved.is_valid()) return nullptr;
  if (!nb::try_cast(resolved, rows)) {
    PyErr_SetString(PyExc_TypeError, "_resolve() gave no Rows");
    return nullptr;
  }
  if (!rows_) rows_ = std::move(rows);
  return rows_.get();
}

const Rows& Records::rows(PyObject* self) {
  if (const Rows* rows = TryRows(self)) return *rows;
  throw nb::python_error();
}

std::vector<uint64_t> OrdinalsOf(nb::handle self, nb::handle numbers) {
  const Rows& rows = nb::inst_ptr<Records>(self)->rows(self.ptr());
  std::vector<uint64_t> indices = IndicesOf(numbers, rows.size());
  rows.Map(indices);
  return indices;
}

void BindRecords(nb::module_& m) {
  m.def(
      "indices", [](nb::handle numbers, uint64_t size) { return RowArray(IndicesOf(numbers, size)); }, "numbers"_a,
      "size"_a, nb::sig("def indices(numbers: object, size: int) -> numpy.typing.NDArray[numpy.int64]"));
  BindRows(m);
  nb::class_<Payload>(m, "Payload", nb::type_slots(payload_slots));
  nb::class_<Source>(m, "Source")
      .def_prop_ro(
          "index_path", [](const Source& source) { return TextOf(source.dataset.index_path()); },
          nb::for_getter(nb::sig("def index_path(self) -> str")))
      .def_prop_ro(
          "place", [](const Source& source) { return TextOf(source.dataset.snapshot()->index()->place()); },
          nb::for_getter(nb::sig("def place(self) -> str")))
      .def_prop_ro("identity",
                   [](const Source& source) {
                     const IndexFile& index = *source.dataset.snapshot()->index();
                     const MapHeader& map = source.dataset.reader().map().header();
                     return StrCat(ToHex(ByteView(map.index_id)), "-", ToHex(index.identity()));
                   })
      .def_prop_ro(
          "id", [](const Source& source) { return ToHex(ByteView(source.dataset.reader().map().header().index_id)); })
      .def_prop_ro("records", [](const Source& source) { return source.dataset.reader().live(); })
      .def_prop_ro("ordinals", [](const Source& source) { return source.dataset.size(); })
      .def_prop_ro("allow_bad", [](const Source& source) { return source.allow_bad; })
      .def("all_rows", [](const Source& source) { return Rows(View::Range(0, source.dataset.size())); });
  BindPresentRows(m);
  m.def("open_source", &OpenSource, "path"_a, "root"_a, "io"_a, "allow_bad"_a, "cache_bytes"_a, "attach"_a);
  nb::class_<Records>(m, "Records", nb::type_slots(record_slots), nb::is_weak_referenceable())
      .def(
          "__init__",
          [](Records* self, std::shared_ptr<Source> source, std::shared_ptr<Rows> rows) {
            new (self) Records(std::move(source), std::move(rows));
          },
          "source"_a, "rows"_a.none())
      .def("__getitems__", &ReadMany, "numbers"_a, nb::sig("def __getitems__(self, numbers: object) -> list[bytes]"))
      .def("buffer", &BufferOf, "number"_a, nb::sig("def buffer(self, number: int) -> memoryview"), kBufferDoc)
      .def("locate", &Locate, "number"_a, nb::sig("def locate(self, number: int) -> tuple[str, int, int]"), kLocateDoc)
      .def(
          "ordinals",
          [](nb::handle_t<Records> self, nb::handle numbers) { return RowArray(OrdinalsOf(self, numbers)); },
          "numbers"_a, nb::sig("def ordinals(self, numbers: object) -> numpy.typing.NDArray[numpy.int64]"),
          kOrdinalsDoc)
      .def_prop_ro(
          "rows", [](nb::handle_t<Records> self) { return nb::inst_ptr<Records>(self)->rows(self.ptr()); },
          nb::for_getter(nb::sig("def rows(self) -> Rows")));
}

}  // namespace ofindex::python
