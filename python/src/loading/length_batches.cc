#include "python/src/loading/length_batches.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "python/src/columns/columns.h"
#include "python/src/convert/arrays.h"
#include "python/src/convert/bytes.h"
#include "python/src/interpreter/errors.h"
#include "python/src/interpreter/interruptible.h"
#include "python/src/loading/steps.h"
#include "query/sampling/lengths/record_lengths.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace ofindex::python {
namespace {

// Returns payload sizes; the function keeps the source open.
LengthsOf SizesIn(const std::shared_ptr<const Source>& source) {
  return [source, of = LengthsOfPayloads(source->dataset.reader())](
             std::span<const uint64_t> ordinals, std::span<uint64_t> lengths) mutable { return of(ordinals, lengths); };
}

LengthsOf ColumnLengths(const Source& source, const std::string& name) {
  const std::shared_ptr<ColumnStore> store = ColumnsOf(source);
  Progress progress;
  return RunInterruptibly([&](Progress& watched) { return LengthsOfColumn(*store, name, &watched.cancel); }, progress,
                          nullptr, Asked::kQuery);
}

// Asks each dataset for the lengths of its own records.
class JoinedLengths {
 public:
  void Add(LengthsOf of, uint64_t ordinals) {
    parts_.push_back(std::move(of));
    ends_.push_back((ends_.empty() ? 0 : ends_.back()) + ordinals);
  }

  Result<void> operator()(std::span<const uint64_t> ordinals, std::span<uint64_t> lengths) {
    std::vector<std::vector<uint64_t>> wanted(parts_.size());
    std::vector<std::vector<size_t>> places(parts_.size());
    for (size_t i = 0; i < ordinals.size(); ++i) {
      const auto end = std::upper_bound(ends_.begin(), ends_.end(), ordinals[i]);
      if (end == ends_.end()) return Fail(ErrorCode::kOutOfRange, "a record is in none of the datasets");
      const auto part = static_cast<size_t>(end - ends_.begin());
      wanted[part].push_back(part == 0 ? ordinals[i] : ordinals[i] - ends_[part - 1]);
      places[part].push_back(i);
    }
    std::vector<uint64_t> found;
    for (size_t part = 0; part < parts_.size(); ++part) {
      if (wanted[part].empty()) continue;
      found.resize(wanted[part].size());
      OFINDEX_TRY(parts_[part](wanted[part], found));
      for (size_t i = 0; i < found.size(); ++i) lengths[places[part][i]] = found[i];
    }
    return {};
  }

 private:
  std::vector<LengthsOf> parts_;
  std::vector<uint64_t> ends_;  // of each dataset's ordinals
};

// Returns the payload sizes, or the numbers of the column `by` unless it is None.
RecordLengths LengthsBy(const std::vector<std::shared_ptr<Source>>& sources, nb::object by) {
  JoinedLengths joined;
  for (const std::shared_ptr<Source>& source : sources) {
    LengthsOf of = by.is_none() ? SizesIn(source) : ColumnLengths(*source, NameOf(by));
    if (sources.size() == 1) return {std::move(of)};
    joined.Add(std::move(of), source->dataset.reader().size());
  }
  return {std::move(joined)};
}

using RecordNumbers = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

RecordLengths LengthsIn(const RecordNumbers& numbers) {
  return {Unwrap(LengthsOfNumbers(std::span(numbers.data(), numbers.shape(0))))};
}

}  // namespace

LengthCutter::LengthCutter(nb::object order, const RecordLengths& lengths, const Options& options) {
  const Slice slice{.rank = options.rank, .world = options.world_size};
  const Tail tail = TailOf(options.tail);
  row_width_ = options.limits.packed ? options.limits.total : 0;
  if (nb::isinstance<RowSampler>(order)) {
    sampler_ = nb::cast<const RowSampler&>(order).sampler().Whole();
    sampler_->SeekTo(options.position);
    batches_ =
        std::make_shared<LengthBatches>(Unwrap(LengthBatches::Of(*sampler_, lengths.of, options.limits, slice, tail)));
    return;
  }
  python_order_ = PythonOrder::Share(std::move(order));
  WholeOrder whole = [own = python_order_](std::span<uint64_t> out) { return own->FillOrFail(out); };
  batches_ = std::make_shared<LengthBatches>(
      Unwrap(LengthBatches::Of(std::move(whole), options.position, ReadPositions(UINT64_MAX, options.skipped),
                               lengths.of, options.limits, slice, tail)));
}

NextBatch LengthCutter::Order() const {
  return [batches = batches_, width = row_width_](std::vector<uint64_t>& ordinals) -> Result<BatchStep> {
    LengthBatch batch;
    OFINDEX_ASSIGN(const bool more, batches->Next(batch));
    ordinals = std::move(batch.ordinals);
    BatchStep step{.position = batches->position(), .more = more};
    if (width > 0) step.rows = RowPlan{width, std::move(batch.ends), std::move(batch.lengths)};
    return step;
  };
}

template <typename TakeBatch>
uint64_t LengthCutter::ForEach(uint64_t most, uint64_t until, TakeBatch take) {
  // Of two errors, the inner one is that of the lengths or of the order.
  const Result<uint64_t> passed = RunInterruptibly([&](Progress& progress) -> Result<Result<uint64_t>> {
    LengthBatch batch;
    for (uint64_t number = 0; !progress.cancel; ++number) {
      if (number == most || batches_->position() >= until) return Result<uint64_t>(number);
      const Result<bool> more = batches_->Next(batch);
      if (!more) return Result<uint64_t>(tl::unexpected(more.error()));
      if (!*more) return Result<uint64_t>(number);
      take(number, batch.ordinals);
    }
    return Result<uint64_t>(Interrupted());
  });
  if (!passed && python_order_) python_order_->Rethrow();
  return Unwrap(passed);
}

uint64_t LengthCutter::Count(uint64_t most, uint64_t until) {
  return ForEach(most, until, [](uint64_t, const std::vector<uint64_t>&) {});
}

std::vector<uint64_t> LengthCutter::Next() {
  std::vector<uint64_t> next;
  ForEach(1, UINT64_MAX, [&](uint64_t, std::vector<uint64_t>& batch) { next.swap(batch); });
  return next;
}

LengthCutter::Found LengthCutter::Find(uint64_t ordinal) {
  Found found;
  found.batches = ForEach(UINT64_MAX, UINT64_MAX, [&](uint64_t number, const std::vector<uint64_t>& batch) {
    for (size_t i = 0; i < batch.size(); ++i) {
      if (batch[i] == ordinal) found.places.emplace_back(number, i);
    }
  });
  return found;
}

void BindLengthBatches(nb::module_& m) {
  m.attr("PACK_WINDOW") = BatchLimits::kPackWindow;
  nb::class_<RecordLengths>(m, "RecordLengths");
  m.def("lengths_by", &LengthsBy, "sources"_a, "by"_a.none());
  m.def("lengths_in", &LengthsIn, "numbers"_a);
  nb::class_<LengthCutter>(m, "LengthCutter")
      .def(
          "__init__",
          [](LengthCutter* self, nb::object order, const RecordLengths& lengths, uint64_t total, uint64_t records,
             bool padded, uint64_t window, std::optional<uint64_t> rows, bool drop_last,
             const std::vector<std::tuple<uint64_t, uint64_t>>& skipped, uint64_t position, uint64_t rank,
             uint64_t world_size, const std::string& tail) {
            BatchLimits limits{.total = total, .records = records, .padded = padded, .window = window};
            if (rows) limits.packed = RowBatches{.rows = *rows, .drop_last = drop_last};
            std::vector<PositionRange> ranges;
            for (const auto& [begin, end] : skipped) ranges.push_back({begin, end});
            new (self)
                LengthCutter(std::move(order), lengths, {limits, std::move(ranges), position, rank, world_size, tail});
          },
          "order"_a, "lengths"_a, "total"_a, "records"_a, "padded"_a, "window"_a, "rows"_a.none(), "drop_last"_a,
          "skipped"_a, "position"_a, "rank"_a, "world_size"_a, "tail"_a)
      .def("count", &LengthCutter::Count, "most"_a = UINT64_MAX, "until"_a = UINT64_MAX)
      .def(
          "next", [](LengthCutter& cutter) { return RowArray(cutter.Next()); },
          nb::sig("def next(self) -> numpy.typing.NDArray[numpy.int64]"))
      .def(
          "find",
          [](LengthCutter& cutter, uint64_t ordinal) {
            LengthCutter::Found found = cutter.Find(ordinal);
            return std::make_tuple(std::move(found.places), found.batches);
          },
          "ordinal"_a)
      .def_prop_ro("position", &LengthCutter::position);
}

}  // namespace ofindex::python
