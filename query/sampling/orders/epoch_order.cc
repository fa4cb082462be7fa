#include "query/sampling/orders/epoch_order.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/progress.h"
#include "base/text.h"
#include "query/sampling/orders/permutation.h"
#include "query/sampling/orders/sample_key.h"
#include "query/sampling/orders/weighted_draws.h"

namespace ofindex {
namespace {

class ShuffledOrder final : public EpochOrder {
 public:
  ShuffledOrder(uint64_t size, uint64_t key) : order_(size, key) {}

  uint64_t size() const override { return order_.size(); }
  void Fill(uint64_t first, uint64_t step, std::span<uint64_t> out) const override { order_.Fill(first, step, out); }
  Result<std::vector<uint64_t>> PositionsOf(uint64_t index, const std::atomic<bool>*) const override {
    return std::vector<uint64_t>{order_.PositionOf(index)};
  }

 private:
  Permutation order_;
};

class BlockShuffledOrder final : public EpochOrder {
 public:
  BlockShuffledOrder(uint64_t size, const BlockShape& shape, uint64_t key)
      : order_(size, shape, key), window_(shape.window) {}

  uint64_t size() const override { return order_.size(); }
  void Fill(uint64_t first, uint64_t step, std::span<uint64_t> out) const override { order_.Fill(first, step, out); }
  Result<std::vector<uint64_t>> PositionsOf(uint64_t index, const std::atomic<bool>*) const override {
    return std::vector<uint64_t>{order_.PositionOf(index)};
  }
  uint64_t RunOf(uint64_t index) const override { return order_.RunOf(index); }
  // A window may have a short run next to its whole ones.
  uint64_t runs_in_flight() const override { return order_.lanes() * (window_ + 1); }

 private:
  BlockOrder order_;
  uint64_t window_;
};

/// Draws with replacement: an epoch has as many draws as the view has records.
template <typename Draws>
class DrawnOrder final : public EpochOrder {
 public:
  DrawnOrder(uint64_t size, Draws draws) : size_(size), draws_(std::move(draws)) {}

  uint64_t size() const override { return size_; }
  void Fill(uint64_t first, uint64_t step, std::span<uint64_t> out) const override { draws_.Fill(first, step, out); }
  Result<std::vector<uint64_t>> PositionsOf(uint64_t index, const std::atomic<bool>* cancel) const override {
    std::vector<uint64_t> positions;
    std::array<uint64_t, 4096> drawn;
    for (uint64_t first = 0; first < size_; first += drawn.size()) {
      if (cancel != nullptr && *cancel) return Interrupted();
      const std::span some(drawn.data(), std::min<uint64_t>(drawn.size(), size_ - first));
      draws_.Fill(first, 1, some);
      for (size_t i = 0; i < some.size(); ++i) {
        if (some[i] == index) positions.push_back(first + i);
      }
    }
    return positions;
  }

 private:
  uint64_t size_;
  Draws draws_;
};

/// Makes the order for each SamplingMethod.
struct MakeOrder {
  uint64_t size;
  uint64_t seed;
  uint64_t epoch;

  using Order = std::shared_ptr<const EpochOrder>;

  Order operator()(const GlobalShuffle&) const {
    return std::make_shared<ShuffledOrder>(size, SampleKey(seed, epoch, SampleUse::kShuffle));
  }
  Order operator()(const BlockShape& shape) const {
    return std::make_shared<BlockShuffledOrder>(size, shape, SampleKey(seed, epoch, SampleUse::kRuns));
  }
  Order operator()(const WeightedSampling& method) const {
    return Drawn(WeightedDraws(method.table, SampleKey(seed, epoch, SampleUse::kDraws)));
  }
  Order operator()(const BalancedSampling& method) const {
    return Drawn(BalancedDraws(method.classes, SampleKey(seed, epoch, SampleUse::kDraws)));
  }

  template <typename Draws>
  Order Drawn(Draws draws) const {
    return std::make_shared<DrawnOrder<Draws>>(size, std::move(draws));
  }
};

struct DescribeMethod {
  std::string operator()(const GlobalShuffle&) const { return "shuffle"; }
  std::string operator()(const BlockShape& shape) const {
    return StrCat("block ", shape.run, ", ", shape.lanes, " lanes, window ", shape.window);
  }
  std::string operator()(const WeightedSampling& method) const { return StrCat("weights ", method.fingerprint); }
  std::string operator()(const BalancedSampling& method) const { return StrCat("balance ", method.fingerprint); }
};

}  // namespace

std::string Describe(const SamplingMethod& method) { return std::visit(DescribeMethod(), method); }

std::shared_ptr<const EpochOrder> OrderOf(const SamplingMethod& method, uint64_t size, uint64_t seed, uint64_t epoch) {
  return std::visit(MakeOrder{size, seed, epoch}, method);
}

}  // namespace ofindex
