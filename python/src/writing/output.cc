#include "python/src/writing/output.h"

#include <pthread.h>

#include <vector>

#include "python/src/convert/bytes.h"
#include "python/src/convert/objects.h"

namespace nb = nanobind;

namespace ofindex::python {
namespace {

std::atomic<uint64_t> forks = 0;

// Bytes lent by a caller: bytes, bytearray, memoryview, an array. Mutable ones are copied, since a change during the
// write would invalidate the checksum.
class Lent {
 public:
  explicit Lent(nb::handle object) {
    if (PyObject_GetBuffer(object.ptr(), &view_, PyBUF_SIMPLE) != 0) throw nb::python_error();
    const auto* const data = static_cast<const uint8_t*>(view_.buf);
    bytes_ = {data, static_cast<size_t>(view_.len)};
    if (view_.readonly != 0) return;
    copy_.assign(bytes_.begin(), bytes_.end());
    bytes_ = copy_;
  }
  Lent(const Lent&) = delete;
  Lent& operator=(const Lent&) = delete;
  ~Lent() { PyBuffer_Release(&view_); }
  [[nodiscard]] ByteView bytes() const { return bytes_; }

 private:
  Py_buffer view_{};
  std::vector<uint8_t> copy_;
  ByteView bytes_;
};

// Borrows an output's PayloadMaker for one record. If the maker is already in use, by another thread or by the call in
// which the values run Python code, this call gets a maker of its own.
class Turn {
 public:
  Turn(std::unique_ptr<PayloadMaker>& shelf, const PayloadRules& rules)
      : shelf_(shelf), maker_(shelf ? std::move(shelf) : std::make_unique<PayloadMaker>(rules)) {}
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn() { shelf_ = std::move(maker_); }
  PayloadMaker* operator->() const { return maker_.get(); }

 private:
  std::unique_ptr<PayloadMaker>& shelf_;
  std::unique_ptr<PayloadMaker> maker_;
};

}  // namespace

uint64_t ForkGeneration() {
  static const int registered = ::pthread_atfork(nullptr, nullptr, [] { ++forks; });
  static_cast<void>(registered);
  return forks.load(std::memory_order_relaxed);
}

template <typename Target>
void Output<Target>::Write(nb::handle record) {
  CheckOurs();
  if (PyBytes_CheckExact(record.ptr())) {
    return WritePayload(BytesIn(record.ptr()));
  }
  if (!PyDict_CheckExact(record.ptr())) {
    if (PyObject_CheckBuffer(record.ptr()) != 0) return WritePayload(Lent(record).bytes());
    if (!nb::hasattr(record, "keys") || !nb::hasattr(record, "items")) {
      PyErr_Format(PyExc_TypeError, "a record is bytes or a mapping of feature names to values, not %s",
                   TypeName(record.ptr()).c_str());
      throw nb::python_error();
    }
  }
  const Turn maker(maker_, rules_);
  WritePayload(maker->Make(record, records_));
}

template <typename Target>
void Output<Target>::WritePayload(ByteView payload) {
  if (payload.empty() && framing_ == Framing::kOfRecord) {
    Raise(ErrorCode::kFeature,
          StrCat("record ", FormatCount(records_),
                 ": an OFRecord cannot be empty: its readers take the zero bytes for ", "a torn tail"),
          "write a TFRecord, or leave the record out");
  }
  const auto write = [&](Target& target) { return target.Write(payload); };
  Result<void> done;
  if (payload.size() < kWorthTheGil && mutex_.try_lock()) {
    const std::lock_guard lock(mutex_, std::adopt_lock);
    done = Guarded(write);
  } else {
    const nb::gil_scoped_release release;
    const std::lock_guard lock(mutex_);
    done = Guarded(write);
  }
  Unwrap(std::move(done));
}

template <typename Target>
void Output<Target>::CheckOurs() const {
  if (fork_ == ForkGeneration()) return;
  Raise(ErrorCode::kUsage,
        StrCat(Printable(name_), ": the writer belongs to the process that this one was forked from"),
        "open one in each process, for a shard of its own");
}

template class Output<RecordWriter>;
template class Output<ShardSetWriter>;

}  // namespace ofindex::python
