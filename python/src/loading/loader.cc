#include "python/src/loading/loader.h"

#include <nanobind/ndarray.h>

#include <chrono>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/threads.h"
#include "python/src/convert/arrays.h"
#include "python/src/interpreter/errors.h"
#include "python/src/loading/decoder.h"
#include "python/src/loading/length_batches.h"
#include "python/src/loading/python_order.h"
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

// Returns the batches of `cutter`.
NextBatch BatchesOf(const LengthCutter& cutter, const Payloads& payloads) {
  const Sampler* of = cutter.sampler();
  if (of == nullptr || !payloads.reader) return cutter.Order();
  const uint64_t run = RunToPrefetch(of->method(), of->view(), *payloads.reader);
  return run == 0 ? cutter.Order() : PrefetchRuns(cutter.Order(), payloads.reader, run);
}

class Loader {
 public:
  Loader(const Payloads& payloads, const Decoder& decoder, nb::object order, uint64_t batch_size, unsigned threads,
         size_t prefetch) {
    const BatchLoader::Options options{
        .batch_size = batch_size, .threads = threads == 0 ? ProcessorCount() : threads, .prefetch = prefetch};
    if (nb::isinstance<LengthCutter>(order)) {
      const auto& cutter = nb::cast<const LengthCutter&>(order);
      order_ = cutter.python_order();
      NextBatch batches = BatchesOf(cutter, payloads);
      loader_ = Unwrap(BatchLoader::Start(payloads.source, decoder.decoder, std::move(batches), options));
      return;
    }
    NextOrdinals next;
    if (nb::isinstance<RowSampler>(order)) {
      next = OrderOf(nb::cast<const RowSampler&>(order), payloads);
    } else {
      order_ = PythonOrder::Share(std::move(order));
      next = [own = order_](std::span<uint64_t> out) { return own->Fill(out); };
    }
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
      if (!outcome && order_ && outcome.error().code == ErrorCode::kInterrupted) order_->Rethrow();
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
