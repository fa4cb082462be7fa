#include "python/src/loading/sampler.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "base/text.h"
#include "python/src/columns/columns.h"
#include "python/src/convert/arrays.h"
#include "python/src/convert/bytes.h"
#include "python/src/convert/indices.h"
#include "python/src/interpreter/errors.h"
#include "python/src/interpreter/interruptible.h"
#include "python/src/loading/steps.h"
#include "python/src/records/present_rows.h"
#include "python/src/records/records.h"
#include "query/columns/find_column.h"
#include "query/sampling/inflate_cost.h"
#include "query/sampling/mixture.h"
#include "query/sampling/open_sampler.h"
#include "query/sampling/orders/permutation.h"
#include "query/sampling/orders/sample_key.h"
#include "query/sampling/reading_facts.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace ofindex::python {
namespace {

// Returns the rows in ascending order of their records.
std::vector<uint64_t> PlacesOf(const Rows& rows) {
  std::vector<uint64_t> places(rows.size());
  std::iota(places.begin(), places.end(), uint64_t{0});
  std::sort(places.begin(), places.end(), [&](uint64_t a, uint64_t b) { return rows.At(a) < rows.At(b); });
  return places;
}

// The arguments of Python's Dataset.sampler(), except the dataset itself.
struct SamplerOptions {
  uint64_t seed;
  uint64_t epoch;
  uint64_t rank;
  uint64_t world_size;
  std::string tail;
  std::optional<nb::object> weights;
  std::optional<nb::object> balance;
  std::optional<uint64_t> block;  // 0: auto
  std::optional<std::string> state;
  bool force;
};

bool IsText(nb::handle value) { return PyUnicode_Check(value.ptr()) || PyBytes_Check(value.ptr()); }

// Returns the weights of `rows` in ascending order of the records; an array has one for each record that is there.
std::vector<double> AscendingWeights(const Source& source, const Rows& rows, nb::handle array) {
  const auto given = nb::cast<nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>>(array);
  const std::span<const double> weights(given.data(), given.shape(0));
  const Rows there = PresentRows(source, rows);
  if (weights.size() != there.size()) {
    Raise(ErrorCode::kUsage, StrCat(FormatCount(weights.size()), " weights for ", FormatCount(there.size()),
                                    " records: expected one for each"));
  }
  std::vector<double> ascending(rows.size());
  if (rows.view() == nullptr) {
    const std::vector<uint64_t> places = PlacesOf(rows);
    std::transform(places.begin(), places.end(), ascending.begin(), [&](uint64_t place) { return weights[place]; });
  } else if (there.size() == rows.size()) {
    std::copy(weights.begin(), weights.end(), ascending.begin());
  } else {  // of all records, some are gone
    for (uint64_t i = 0; i < there.size(); ++i) ascending[there.At(i)] = weights[i];
  }
  return ascending;
}

SampleRequest RequestOf(const SamplerOptions& options) {
  SampleRequest request;
  if (options.weights && IsText(*options.weights)) request.weights = NameOf(*options.weights);
  if (options.balance) request.balance = NameOf(*options.balance);
  if (options.block && *options.block != 0) request.block = BlockShape{.run = *options.block};
  request.seed = options.seed;
  request.epoch = options.epoch;
  request.slice = {.rank = options.rank, .world = options.world_size};
  request.tail = TailOf(options.tail);
  if (options.state) request.state = Unwrap(ParseSamplerState(*options.state));
  request.force = options.force;
  return request;
}

// Warns once about the cost of a global shuffle of compressed shards.
void AdviseBlocks(const Source& source) {
  if (!source.dataset.reader().inflates() || source.advised.exchange(true)) return;
  const auto cost = RunInterruptibly([&](Progress&) -> Result<std::optional<std::string>> {
    OFINDEX_ASSIGN(const ReadingFacts facts, ReadingFactsOf(source.dataset));
    // An order does not need the shards; if they are missing, there is nothing to measure.
    auto measured = CostOfGlobalShuffle(source.dataset, facts);
    return measured ? std::move(*measured) : std::optional<std::string>();
  });
  if (!cost) return;
  const std::string text = StrCat(*cost, "; block='auto' reads them in runs");
  if (PyErr_WarnEx(PyExc_UserWarning, text.c_str(), 1) != 0) throw nb::python_error();
}

// Picked rows have their own fingerprint, because the order of the picks is part of a sampler's state.
RowSampler Open(const Source& source, const Rows& rows, const SamplerOptions& options) {
  const std::shared_ptr<ColumnStore> store = ColumnsOf(source);
  SampleRequest request = RequestOf(options);
  std::vector<double> weights;
  if (options.weights && !request.weights) {
    weights = AscendingWeights(source, rows, *options.weights);
    request.given_weights = weights;
  }
  for (const auto& name : {request.weights, request.balance}) {
    if (name) Unwrap(FindValueColumn(*store, *name), Asked::kQuery);
  }
  request.view = Unwrap(rows.Ascending());
  Sampler sampler = RunInterruptibly([&](Progress& progress) -> Result<Sampler> {
    if (options.block && *options.block == 0 && request.state) {
      request.block = BlockOf(*request.state);  // the dataset, or its storage, may suggest another one by now
    } else if (options.block && *options.block == 0) {
      OFINDEX_ASSIGN(const ReadingFacts facts, ReadingFactsOf(source.dataset));
      const BlockChoice choice = ChooseBlock(facts);
      if (choice.shape.run > 1) request.block = choice.shape;
    }
    SqlLimits limits;
    limits.cancel = &progress.cancel;
    OFINDEX_ASSIGN(const std::shared_ptr<SharedCatalog> catalog, source.dataset.snapshot()->Catalog());
    ShardHistory history;
    if (request.state) {
      OFINDEX_ASSIGN(history, ShardHistory::Of(*catalog));
    }
    return OpenSampler(store, catalog->generations(), request, limits, history);
  });
  if (!options.block && !options.weights && !options.balance) AdviseBlocks(source);
  return {std::move(sampler), rows, *request.view};
}

nb::object Take(RowSampler& sampler, uint64_t limit) {
  std::vector<uint64_t> rows(std::min(limit, sampler.sampler().left()));
  // If fewer are left, requests one more, so that the sampler notes that the epoch has ended.
  if (rows.size() < limit) {
    rows.resize(rows.size() + 1);
    rows.resize(sampler.NextRows(rows));
  } else {
    sampler.NextRows(rows);
  }
  return RowArray(std::move(rows));
}

// Returns the rows at any positions of the epoch, all of which must be less than its size.
nb::object RowsAt(const RowSampler& sampler, nb::handle positions) {
  std::vector<uint64_t> rows = IndicesOf(positions, sampler.sampler().epoch_size());
  RowSampler reader = sampler;
  for (uint64_t& row : rows) {
    reader.sampler().SeekTo(row);
    reader.NextRows(std::span(&row, 1));
  }
  return RowArray(std::move(rows));
}

// Returns the rows that `rank` reads in steps `first` to `first` + `count` - 1 from where the ranks begin, as far as
// they exist.
nb::object RowsOfRank(const RowSampler& sampler, uint64_t rank, uint64_t first, uint64_t count) {
  const uint64_t steps = sampler.sampler().ranks().StepsOf(rank);
  std::vector<uint64_t> rows(first < steps ? std::min(count, steps - first) : 0);
  sampler.sampler().IndicesOf(rank, first, 1, rows);
  sampler.ToRows(rows);
  return RowArray(std::move(rows));
}

// Returns the rank of each place of a row in the epoch, and how many rows the rank reads before it.
std::vector<std::tuple<uint64_t, uint64_t>> PlacesOfRow(const RowSampler& sampler, uint64_t row) {
  std::vector<std::tuple<uint64_t, uint64_t>> places;
  const std::optional<uint64_t> index = sampler.IndexOf(row);
  if (!index) return places;
  const std::vector<Sampler::Place> found =
      RunInterruptibly([&](Progress& progress) { return sampler.sampler().PlacesOf(*index, &progress.cancel); });
  for (const Sampler::Place& place : found) places.emplace_back(place.rank, place.step);
  return places;
}

// Returns the rows of ordinals of the sampled records.
nb::object RowsOfOrdinals(const RowSampler& sampler, const nb::ndarray<const int64_t, nb::ndim<1>, nb::c_contig>& of) {
  std::vector<uint64_t> rows(of.data(), of.data() + of.shape(0));
  sampler.OrdinalsToRows(rows);
  return RowArray(std::move(rows));
}

// Moves to a position of any epoch of the records that are sampled now.
void Resume(RowSampler& sampler, uint64_t epoch, uint64_t position) {
  sampler.sampler().SeekTo(epoch, std::min(position, sampler.sampler().epoch_size()));
}

// Returns what updates have changed since the state: new and gone records, the generations, whether the epoch begins
// anew; None if nothing has changed.
nb::object ChangesOf(const RowSampler& sampler) {
  const std::optional<StateChanges>& changes = sampler.sampler().changes();
  if (!changes) return nb::none();
  return nb::make_tuple(changes->new_records, changes->gone_records, changes->from, changes->to, changes->begun_anew);
}

void SeekTo(RowSampler& sampler, uint64_t position) {
  if (position > sampler.sampler().epoch_size()) {
    Raise(ErrorCode::kUsage,
          StrCat("position ", position, ": the epoch has ", FormatCount(sampler.sampler().epoch_size()), " positions"));
  }
  sampler.sampler().SeekTo(position);
}

// Returns 0 to `size` - 1 in the order of epoch 0 of a global shuffle by `seed`.
nb::object ShuffledRows(uint64_t size, uint64_t seed) {
  if (size > kMaxSampled) Raise(ErrorCode::kUsage, StrCat(size, " records: expected at most ", kMaxSampled));
  std::vector<uint64_t> rows(size);
  if (size != 0) Permutation(size, SampleKey(seed, 0, SampleUse::kShuffle)).Fill(0, 1, rows);
  return RowArray(std::move(rows));
}

Mixture MakeMixture(const std::vector<double>& shares, std::vector<uint64_t> sizes, uint64_t seed) {
  return Unwrap(Mixture::Make(shares, std::move(sizes), SampleKey(seed, 0, SampleUse::kMixture)));
}

// Returns three arrays: source, epoch of the source, position in that epoch.
nb::tuple MixedPlaces(const Mixture& mixture, uint64_t first, uint64_t step, uint64_t count) {
  std::vector<MixedPlace> places(count);
  if (count != 0) mixture.Fill(first, step, places);
  std::vector<uint64_t> columns[3];
  for (const MixedPlace& place : places) {
    columns[0].push_back(place.source);
    columns[1].push_back(place.epoch);
    columns[2].push_back(place.position);
  }
  return nb::make_tuple(RowArray(std::move(columns[0])), RowArray(std::move(columns[1])),
                        RowArray(std::move(columns[2])));
}

}  // namespace

RowSampler::RowSampler(Sampler sampler, const Rows& rows, View ascending)
    : sampler_(std::move(sampler)), ascending_(std::move(ascending)) {
  if (rows.view() == nullptr) places_ = std::make_shared<const std::vector<uint64_t>>(PlacesOf(rows));
}

size_t RowSampler::NextRows(std::span<uint64_t> out) {
  const size_t count = sampler_.NextIndices(out);
  ToRows(out.first(count));
  return count;
}

void RowSampler::ToRows(std::span<uint64_t> indices) const {
  if (sampler_.view().size() != ascending_.size()) {
    sampler_.view().Map(indices);
    return OrdinalsToRows(indices);
  }
  if (!places_) return;
  for (uint64_t& row : indices) row = (*places_)[row];
}

void RowSampler::OrdinalsToRows(std::span<uint64_t> ordinals) const {
  for (uint64_t& row : ordinals) {
    row = ascending_.IndexOf(row).value();
    if (places_) row = (*places_)[row];
  }
}

std::optional<uint64_t> RowSampler::IndexOf(uint64_t row) const {
  uint64_t index = row;
  if (places_) {
    const auto found = std::find(places_->begin(), places_->end(), row);
    index = static_cast<uint64_t>(found - places_->begin());
  }
  if (index >= ascending_.size()) return std::nullopt;
  if (sampler_.view().size() == ascending_.size()) return index;
  return sampler_.view().IndexOf(ascending_.At(index));
}

void BindSampler(nb::module_& m) {
  m.def(
      "open_sampler",
      [](const Source& source, const Rows& rows, uint64_t seed, uint64_t epoch, uint64_t rank, uint64_t world_size,
         const std::string& tail, std::optional<nb::object> weights, std::optional<nb::object> balance,
         std::optional<uint64_t> block, std::optional<std::string> state, bool force) {
        return Open(source, rows,
                    {seed, epoch, rank, world_size, tail, std::move(weights), std::move(balance), block,
                     std::move(state), force});
      },
      "source"_a, "rows"_a, "seed"_a, "epoch"_a, "rank"_a, "world_size"_a, "tail"_a, "weights"_a.none(),
      "balance"_a.none(), "block"_a.none(), "state"_a.none(), "force"_a);
  nb::class_<RowSampler>(m, "RowSampler")
      .def("take", &Take, "most"_a, nb::sig("def take(self, most: int) -> numpy.typing.NDArray[numpy.int64]"))
      .def("rows_at", &RowsAt, "positions"_a,
           nb::sig("def rows_at(self, positions: object) -> numpy.typing.NDArray[numpy.int64]"))
      .def("rows_of", &RowsOfRank, "rank"_a, "first"_a, "count"_a,
           nb::sig("def rows_of(self, rank: int, first: int, count: int) -> numpy.typing.NDArray[numpy.int64]"))
      .def("rows_of_ordinals", &RowsOfOrdinals, "ordinals"_a,
           nb::sig("def rows_of_ordinals(self, ordinals: numpy.typing.NDArray[numpy.int64]) -> "
                   "numpy.typing.NDArray[numpy.int64]"))
      .def("places_of", &PlacesOfRow, "row"_a)
      .def(
          "position_after",
          [](const RowSampler& sampler, uint64_t steps) { return sampler.sampler().ranks().PositionAfter(steps); },
          "steps"_a)
      .def(
          "skip",
          [](RowSampler& sampler, const std::vector<SkippedNumbers>& skipped) {
            sampler.sampler().Skip(SkipsOf(skipped));
          },
          "skipped"_a)
      .def_prop_ro("skipped", [](const RowSampler& sampler) { return SkipNumbersOf(sampler.sampler().skipped()); })
      .def("copy", [](const RowSampler& sampler) { return RowSampler(sampler); })
      .def(
          "set_epoch", [](RowSampler& sampler, uint64_t epoch) { sampler.sampler().SetEpoch(epoch); }, "epoch"_a)
      .def("seek", &SeekTo, "position"_a)
      .def("resume", &Resume, "epoch"_a, "position"_a)
      .def_prop_ro("changes", &ChangesOf,
                   nb::for_getter(nb::sig("def changes(self) -> tuple[int, int, int, int, bool] | None")))
      .def("state", [](const RowSampler& sampler) { return ToJson(sampler.sampler().State()); })
      .def_prop_ro("position", [](const RowSampler& sampler) { return sampler.sampler().position(); })
      .def_prop_ro("epoch", [](const RowSampler& sampler) { return sampler.sampler().epoch(); })
      .def_prop_ro("seed", [](const RowSampler& sampler) { return sampler.sampler().seed(); })
      .def_prop_ro("left", [](const RowSampler& sampler) { return sampler.sampler().left(); })
      .def_prop_ro("epoch_size", [](const RowSampler& sampler) { return sampler.sampler().epoch_size(); })
      .def_prop_ro("order", [](const RowSampler& sampler) { return Describe(sampler.sampler().method()); });
  nb::class_<Mixture>(m, "Mixture")
      .def("places", &MixedPlaces, "first"_a, "step"_a, "count"_a)
      .def("epochs_of", &Mixture::EpochsOf, "source"_a, "first"_a, "end"_a)
      .def(
          "position_of",
          [](const Mixture& mixture, uint32_t source, uint64_t epoch, uint64_t position) {
            return mixture.PositionOf({source, epoch, position});
          },
          "source"_a, "epoch"_a, "position"_a);
  m.def("permutation", &ShuffledRows, "size"_a, "seed"_a,
        nb::sig("def permutation(size: int, seed: int) -> numpy.typing.NDArray[numpy.int64]"));
  m.def("make_mixture", &MakeMixture, "shares"_a, "sizes"_a, "seed"_a);
}

}  // namespace ofindex::python
