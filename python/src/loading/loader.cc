#include "python/src/loading/loader.h"

#include <nanobind/ndarray.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/threads.h"
#include "python/src/convert/arrays.h"
#include "python/src/interpreter/errors.h"
#include "python/src/loading/decoder.h"
#include "python/src/loading/sampler.h"
#include "query/loading/batch_loader.h"
#include "query/loading/run_prefetch.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace ofindex::python {
namespace {

// While a thread waits for a batch, it checks for Python's signals at this interval.
constexpr auto kPatience = std::chrono::milliseconds(50);

// Returns the order of `sampler`, from its current position.
NextOrdinals OrderOf(const RowSampler& sampler, const Payloads& payloads) {
  NextOrdinals order = [own = std::make_shared<RowSampler>(sampler)](std::span<uint64_t> out) -> OrderStep {
    const size_t count = own->NextOrdinals(out);
    return {count, own->sampler().position()};
  };
  if (!payloads.reader) return order;
  const Sampler& of = sampler.sampler();
  const uint64_t run = RunToPrefetch(of.method(), of.view(), *payloads.reader);
  return run == 0 ? order : PrefetchRuns(std::move(order), payloads.reader, run);
}

/// An order defined in Python: take(count) returns (ordinals, position). Called on the loader's threads.
class PythonOrder {
 public:
  explicit PythonOrder(nb::object take) : take_(std::move(take)) {}

  /// An exception raised by take() ends the order; see Rethrow().
  OrderStep Fill(std::span<uint64_t> out) {
    const nb::gil_scoped_acquire acquire;
    try {
      const nb::object step = take_(out.size());
      const auto ordinals = nb::cast<nb::ndarray<const int64_t, nb::ndim<1>, nb::c_contig>>(step[0]);
      const size_t count = std::min(out.size(), ordinals.shape(0));
      for (size_t i = 0; i < count; ++i) out[i] = static_cast<uint64_t>(ordinals.data()[i]);
      return {count, nb::cast<uint64_t>(step[1])};
    } catch (...) {
      raised_ = std::current_exception();
      return {};
    }
  }

  /// Raises the exception that take() raised, if any; call it when the order has ended.
  void Rethrow() {
    if (raised_) std::rethrow_exception(std::exchange(raised_, nullptr));
  }

 private:
  nb::object take_;
  std::exception_ptr raised_;
};

// The last reference may be dropped on any thread, without the GIL.
std::shared_ptr<PythonOrder> Share(nb::object take) {
  return {new PythonOrder(std::move(take)), [](PythonOrder* order) {
            const nb::gil_scoped_acquire acquire;
            delete order;
          }};
}

class Loader {
 public:
  Loader(const Payloads& payloads, const Decoder& decoder, nb::object order, uint64_t batch_size, unsigned threads,
         size_t prefetch) {
    NextOrdinals next;
    if (nb::isinstance<RowSampler>(order)) {
      next = OrderOf(nb::cast<const RowSampler&>(order), payloads);
    } else {
      order_ = Share(std::move(order));
      next = [own = order_](std::span<uint64_t> out) { return own->Fill(out); };
    }
    const BatchLoader::Options options{
        .batch_size = batch_size, .threads = threads == 0 ? ProcessorCount() : threads, .prefetch = prefetch};
    loader_ = Unwrap(BatchLoader::Start(payloads.source, decoder.decoder, std::move(next), options));
  }
  ~Loader() { Close(); }

  /// Returns (arrays, ordinals, position) of the next batch; None at the end, or once closed.
  nb::object Next() {
    BatchLoader::Loaded loaded;
    // Held during the wait, because another thread may call Close().
    while (std::shared_ptr<BatchLoader> held = loader_) {
      Result<BatchLoader::Outcome> outcome = BatchLoader::Outcome::kNotYet;
      {
        nb::gil_scoped_release release;
        outcome = held->Next(kPatience, loaded);
        held.reset();
      }
      if (!loader_ && !outcome && outcome.error().code == ErrorCode::kInterrupted) return nb::none();
      switch (Unwrap(std::move(outcome))) {
        case BatchLoader::Outcome::kBatch:
          return nb::make_tuple(ArraysOf(std::move(loaded.batch)), RowArray(std::move(loaded.ordinals)),
                                loaded.position);
        case BatchLoader::Outcome::kEnd:
          if (order_) order_->Rethrow();
          return nb::none();
        case BatchLoader::Outcome::kNotYet: break;
      }
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
    }
    return nb::none();
  }

  /// Stops the threads. If the interpreter is ending, threads that wait for the GIL wait forever; they are then not
  /// joined.
  void Close() {
    std::shared_ptr<BatchLoader> closing = std::exchange(loader_, nullptr);
    if (!closing) return;
    if (order_ && Py_IsInitialized() == 0) {
      static_cast<void>(new std::shared_ptr<BatchLoader>(std::move(closing)));
      return;
    }
    nb::gil_scoped_release release;
    closing.reset();
  }

 private:
  std::shared_ptr<PythonOrder> order_;  // null if the order is in C++
  std::shared_ptr<BatchLoader> loader_;
};

}  // namespace

void BindLoader(nb::module_& m) {
  nb::class_<Loader>(m, "Loader")
      .def(nb::init<const Payloads&, const Decoder&, nb::object, uint64_t, unsigned, size_t>(), "payloads"_a,
           "decoder"_a, "order"_a, "batch_size"_a, "threads"_a, "prefetch"_a)
      .def("next", &Loader::Next,
           nb::sig("def next(self) -> tuple[list, numpy.typing.NDArray[numpy.int64], int] | None"))
      .def("close", &Loader::Close);
}

}  // namespace ofindex::python
