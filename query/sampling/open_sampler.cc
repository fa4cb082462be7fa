#include "query/sampling/open_sampler.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "base/allocation.h"
#include "base/checksum.h"
#include "base/text.h"
#include "query/columns/find_column.h"
#include "query/sampling/columns/column_classes.h"
#include "query/sampling/columns/column_weights.h"
#include "query/sampling/orders/permutation.h"
#include "query/sampling/resume.h"
#include "query/sampling/sets/set_of.h"
#include "query/sql/where.h"

namespace ofindex {
namespace {

using Cancel = const std::atomic<bool>*;

// Selects the values of a view's records from those of a whole column, which arrive record by record from ordinal 0 on.
template <typename Value>
class InView {
 public:
  explicit InView(const View& view) : view_(view) { Step(); }

  // `values` are those of the records from `first` on. Passes the ones whose records are in the view to `take`.
  template <typename Take>
  void Pass(uint64_t first, std::span<const Value> values, Take take) {
    some_.clear();
    while (index_ < view_.size() && ordinal_ - first < values.size()) {
      some_.push_back(values[ordinal_ - first]);
      ++index_;
      Step();
    }
    take(std::span<const Value>(some_));
  }

 private:
  void Step() {
    if (index_ < view_.size()) ordinal_ = view_.At(index_);
  }

  const View& view_;
  uint64_t index_ = 0;
  uint64_t ordinal_ = 0;
  std::vector<Value> some_;
};

// Returns the number of records up to the last record of a view.
uint64_t End(const View& view) { return view.size() == 0 ? 0 : view.At(view.size() - 1) + 1; }

template <typename Value>
ByteView BytesOf(std::span<const Value> values) {
  return {reinterpret_cast<const uint8_t*>(values.data()), values.size_bytes()};
}

// Receives the weights of a view's records in ascending order, piece by piece.
using TakeWeights = std::function<void(std::span<const double>)>;

// Makes the order of draws by the weights of a view's records, which `deliver` passes on.
Result<SamplingMethod> Weighted(const View& view, const std::function<Result<void>(const TakeWeights&)>& deliver) {
  if (view.size() == 0) return GlobalShuffle{};  // an empty view
  if (view.size() > AliasTable::kMaxItems) {
    return Fail(ErrorCode::kLimit,
                StrCat("weights of ", FormatCount(view.size()), " records; expected at most ",
                       FormatCount(AliasTable::kMaxItems)),
                "draw from fewer records, selected with --where");
  }
  AliasTable::Builder builder;
  builder.Reserve(view.size());
  Xxh3Stream hash;
  OFINDEX_TRY(deliver([&](std::span<const double> some) {
    hash.Add(BytesOf(some));
    for (const double weight : some) builder.Add(weight);
  }));
  OFINDEX_ASSIGN(AliasTable table, std::move(builder).Build());
  return WeightedSampling{std::make_shared<const AliasTable>(std::move(table)), ToHex(hash.Digest())};
}

Result<SamplingMethod> ByWeights(ColumnStore& store, const View& view, const std::string& name, Cancel cancel) {
  OFINDEX_ASSIGN(const Column column, FindValueColumn(store, name));
  return Weighted(view, [&](const TakeWeights& take) {
    InView<double> in_view(view);
    return ForEachWeight(
        store, column, End(view), [&](uint64_t record) { return view.IndexOf(record).has_value(); },
        [&](uint64_t first, std::span<const double> weights) { in_view.Pass(first, weights, take); }, cancel);
  });
}

// Returns the order by the weights of the records of `asked`; `view` has those of them that are there.
Result<SamplingMethod> ByGivenWeights(const View& asked, const View& view, std::span<const double> weights) {
  if (weights.size() != asked.size()) {
    return Fail(ErrorCode::kUsage, StrCat(FormatCount(weights.size()), " weights for ", FormatCount(asked.size()),
                                          " records: expected one for each"));
  }
  return Weighted(view, [&](const TakeWeights& take) -> Result<void> {
    constexpr size_t kAtOnce = 4096;
    const bool all_there = view.size() == asked.size();
    std::vector<double> some;
    for (uint64_t i = 0; i < view.size(); ++i) {
      const double weight = weights[all_there ? i : asked.IndexOf(view.At(i)).value()];
      some.push_back(std::isnan(weight) ? 0 : weight);
      if (some.back() < 0 || std::isinf(weight)) {
        return Fail(ErrorCode::kUsage, StrCat("the weight of record ", view.At(i), " is ", std::to_string(weight),
                                              "; expected a number of 0 or more"));
      }
      if (some.size() == kAtOnce || i + 1 == view.size()) {
        take(some);
        some.clear();
      }
    }
    return {};
  });
}

// Collects the classes of a view's records, which `take` receives piece by piece.
Result<void> ForEachClass(ColumnStore& store, const ColumnClasses& classes, const View& view, Cancel cancel,
                          const BalancedClasses::Take& take) {
  InView<uint32_t> in_view(view);
  return classes.ForEach(
      store, [&](uint64_t first, std::span<const uint32_t> numbers) { in_view.Pass(first, numbers, take); }, cancel);
}

Result<ColumnClasses> ReadClasses(ColumnStore& store, const View& view, const std::string& name, Cancel cancel,
                                  const ClassLimits& limits = {}) {
  OFINDEX_ASSIGN(const Column column, FindValueColumn(store, name));
  return ColumnClasses::Read(store, column, End(view), cancel, limits);
}

Result<SamplingMethod> Balanced(ColumnStore& store, const View& view, const SampleRequest& request, Cancel cancel) {
  OFINDEX_ASSIGN(const ColumnClasses classes, ReadClasses(store, view, *request.balance, cancel));
  if (view.size() == 0) return GlobalShuffle{};  // an empty view
  Xxh3Stream hash;
  hash.Add(BytesOf(std::span(&request.temperature, 1)));
  // The order receives the classes twice; hashing them once identifies them.
  bool hashed = false;
  const auto deliver = [&](const BalancedClasses::Take& take) {
    const auto pass = [&](std::span<const uint32_t> numbers) {
      if (!hashed) hash.Add(BytesOf(numbers));
      take(numbers);
    };
    Result<void> delivered = ForEachClass(store, classes, view, cancel, pass);
    hashed = true;
    return delivered;
  };
  OFINDEX_ASSIGN(auto members,
                 BalancedClasses::Make(static_cast<uint32_t>(classes.size()), request.temperature, deliver));
  return BalancedSampling{std::move(members), ToHex(hash.Digest())};
}

Result<SamplingMethod> BlockSampling(const BlockShape& shape) {
  const bool sound = shape.run > 0 && shape.lanes > 0 && shape.lanes <= kMaxLanes && shape.window > 0 &&
                     shape.window <= kMaxWindow && shape.run <= kMaxWindowRecords / shape.window;
  if (sound) return shape;
  return Fail(ErrorCode::kUsage,
              StrCat("blocks of ", shape.run, " records, ", shape.lanes, " lanes, a window of ", shape.window,
                     " runs: expected at least 1 of each, at most ", FormatCount(kMaxLanes), " lanes, and ",
                     FormatCount(kMaxWindowRecords), " records in a window"));
}

// Returns the records of the request, those of missing shards among them.
View Asked(const ColumnStore& store, const SampleRequest& request) {
  return request.view ? *request.view : View::Range(0, store.ordinals());
}

Result<SamplingMethod> MethodOf(ColumnStore& store, const View& view, const SampleRequest& request, Cancel cancel) {
  const bool weighted = request.weights || request.given_weights;
  if ((weighted ? 1 : 0) + (request.balance ? 1 : 0) + (request.block ? 1 : 0) > 1) {
    return Fail(ErrorCode::kUsage, "weights, balance and block: expected one of them at most");
  }
  if (request.weights) return ByWeights(store, view, *request.weights, cancel);
  if (request.given_weights) return ByGivenWeights(Asked(store, request), view, *request.given_weights);
  if (request.balance) return Balanced(store, view, request, cancel);
  if (request.block) return BlockSampling(*request.block);
  return GlobalShuffle{};
}

// Returns the records of `view` that are in `records`.
View Among(const View& view, const OrdinalSet& records) {
  const uint64_t size = records.size();
  const bool is_range = size == 0 || records.Select(size - 1) == size - 1;
  return is_range ? view.Below(size) : view.Where(records);
}

// Returns true if the request is for all records: the gaps that missing shards leave may be part of its view.
bool SamplesAll(const ColumnStore& store, const SampleRequest& request) {
  if (request.where) return false;
  if (!request.view) return true;
  const bool has_gaps = store.records() != store.ordinals();
  if (request.view->size() == store.ordinals()) return true;
  return has_gaps && request.view->size() >= store.records() &&
         Among(*request.view, SetOf(store)).size() == store.records();
}

// Opens a sampler at position 0, of the requested records that are in `records`, those of `generation`.
Result<Sampler> OpenAmong(const std::shared_ptr<ColumnStore>& store, const GenerationRow& generation,
                          const OrdinalSet& records, const SampleRequest& request, const SqlLimits& limits) {
  View view = Among(Asked(*store, request), records);
  if (request.where) {
    OFINDEX_ASSIGN(const Selection selection,
                   Where(store, *request.where, request.parameters, limits, request.catalog));
    view = view.Where(SetOf(selection));
  }
  OFINDEX_ASSIGN(SamplingMethod method, MethodOf(*store, view, request, limits.cancel));
  const uint64_t seed = request.state ? request.state->seed : request.seed;
  OFINDEX_ASSIGN(Sampler sampler,
                 Sampler::Of(generation, std::move(view), std::move(method), seed, request.slice, request.tail));
  sampler.SetEpoch(request.state ? request.state->epoch : request.epoch);
  if (request.state) sampler.Skip(request.state->skipped);
  return sampler;
}

// Checks that the dataset has the records of its last generation.
Result<GenerationRow> Newest(const ColumnStore& store, const std::vector<GenerationRow>& generations) {
  const GenerationRow newest = generations.empty() ? GenerationRow{} : generations.back();
  const uint64_t most = std::min(store.ordinals(), kMaxSampled);
  if (newest.records <= most) return newest;
  return Fail(
      ErrorCode::kIndex,
      StrCat("generation ", newest.number, " has ", newest.records, " records; expected at most ", FormatCount(most)),
      "rebuild the index with `ofindex build --force`");
}

Result<Sampler> Open(const std::shared_ptr<ColumnStore>& store, const std::vector<GenerationRow>& generations,
                     const SampleRequest& request, const SqlLimits& limits, const ShardHistory& history) {
  OFINDEX_ASSIGN(const GenerationRow newest, Newest(*store, generations));
  const bool has_gaps = store->records() != store->ordinals();
  const OrdinalSet there = has_gaps ? SetOf(*store).Below(newest.records) : OrdinalSet::Range(0, newest.records);
  const auto open = [&](const GenerationRow& generation, const OrdinalSet& records) {
    return OpenAmong(store, generation, records, request, limits);
  };
  OFINDEX_ASSIGN(Sampler sampler, !request.state ? open(newest, there)
                                                 : Resume(*request.state, {.newest = newest,
                                                                           .generations = generations,
                                                                           .history = history,
                                                                           .there = there,
                                                                           .samples_all = SamplesAll(*store, request),
                                                                           .force = request.force,
                                                                           .open = open}));
  const uint64_t position = request.state ? request.state->position : request.position;
  if (position > sampler.epoch_size()) {
    const uint64_t size = sampler.epoch_size();
    return Fail(ErrorCode::kUsage, StrCat("position ", position, ": the epoch has ", FormatCount(size), " positions"),
                size == 0 ? std::string("no record is selected")
                          : StrCat("positions count from 0; that of the last record is ", size - 1));
  }
  sampler.SeekTo(position);
  return sampler;
}

}  // namespace

Result<Sampler> OpenSampler(const std::shared_ptr<ColumnStore>& store, const std::vector<GenerationRow>& generations,
                            const SampleRequest& request, const SqlLimits& limits, const ShardHistory& history) {
  return WithMemory("a sampler's table", [&] { return Open(store, generations, request, limits, history); });
}

Result<ClassNumbers> ClassesOf(ColumnStore& store, const View& view, const std::string& name, Cancel cancel,
                               const ClassLimits& limits) {
  OFINDEX_ASSIGN(const ColumnClasses classes, ReadClasses(store, view, name, cancel, limits));
  static_assert(ClassNumbers::kNoClass == ColumnClasses::kNone);
  return WithMemory("the class of each record", [&]() -> Result<ClassNumbers> {
    ClassNumbers numbers;
    numbers.classes = classes.size();
    numbers.of.reserve(view.size());
    const auto take = [&](std::span<const uint32_t> some) {
      numbers.of.insert(numbers.of.end(), some.begin(), some.end());
    };
    OFINDEX_TRY(ForEachClass(store, classes, view, cancel, take));
    return numbers;
  });
}

}  // namespace ofindex
