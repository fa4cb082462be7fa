#include "query/sampling/mix_quality.h"

#include <algorithm>
#include <list>
#include <map>
#include <numeric>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/progress.h"
#include "query/sampling/orders/sample_key.h"

namespace ofindex {
namespace {

// Counts distinct classes batch by batch, and neighbours that are equal.
class ClassCounter {
 public:
  ClassCounter(const ClassNumbers& numbers, uint64_t batch)
      : numbers_(numbers), batch_(batch), seen_in_(numbers.classes, 0) {}

  void Take(uint64_t index) {
    const uint32_t number = numbers_.of[index];
    if (number != ClassNumbers::kNoClass && seen_in_[number] != batches_ + 1) {
      seen_in_[number] = batches_ + 1;
      ++distinct_;
    }
    pairs_ += taken_ != 0;
    same_class_ += taken_ != 0 && number == last_;
    last_ = number;
    ++taken_;
    if (taken_ % batch_ != 0) return;
    whole_ += std::exchange(distinct_, 0);
    ++batches_;
  }

  /// Averages over whole batches; if none is whole, returns the value of the partial one.
  [[nodiscard]] double PerBatch() const {
    if (batches_ == 0) return static_cast<double>(distinct_);
    return static_cast<double>(whole_) / static_cast<double>(batches_);
  }

  [[nodiscard]] double SameClassShare() const {
    return pairs_ == 0 ? 0 : static_cast<double>(same_class_) / static_cast<double>(pairs_);
  }

 private:
  const ClassNumbers& numbers_;
  const uint64_t batch_;
  std::vector<uint64_t> seen_in_;  // by class: the last batch that has it, from 1
  uint64_t batches_ = 0;
  uint64_t distinct_ = 0;
  uint64_t whole_ = 0;
  uint64_t taken_ = 0;
  uint64_t pairs_ = 0;
  uint64_t same_class_ = 0;
  uint32_t last_ = ClassNumbers::kNoClass;
};

// The runs kept in memory, which are the most recently used ones.
class RunCache {
 public:
  explicit RunCache(uint64_t room) : room_(room) {}

  void Read(uint64_t run) {
    const auto found = places_.find(run);
    if (found != places_.end()) return runs_.splice(runs_.begin(), runs_, found->second);
    ++reads_;
    runs_.push_front(run);
    places_[run] = runs_.begin();
    if (runs_.size() <= room_) return;
    places_.erase(runs_.back());
    runs_.pop_back();
  }

  [[nodiscard]] uint64_t reads() const { return reads_; }

 private:
  const uint64_t room_;
  std::list<uint64_t> runs_;
  std::unordered_map<uint64_t, std::list<uint64_t>::iterator> places_;
  uint64_t reads_ = 0;
};

std::vector<uint64_t> Sizes(const ClassNumbers& numbers) {
  std::vector<uint64_t> sizes(numbers.classes, 0);
  for (const uint32_t number : numbers.of) {
    if (number != ClassNumbers::kNoClass) ++sizes[number];
  }
  return sizes;
}

// Returns the probability that none of `size` marked records is among `batch` of `all`, drawn without replacement.
double ChanceOfNone(uint64_t all, uint64_t size, uint64_t batch) {
  double chance = 1;
  for (uint64_t i = 0; i < batch && chance > 0; ++i) {
    chance *= std::max(0.0, static_cast<double>(all - size) - static_cast<double>(i)) / static_cast<double>(all - i);
  }
  return chance;
}

double PerfectPerBatch(const std::vector<uint64_t>& sizes, uint64_t all, uint64_t batch) {
  std::map<uint64_t, uint64_t> classes_of_size;
  for (const uint64_t size : sizes) ++classes_of_size[size];
  double sum = 0;
  for (const auto& [size, count] : classes_of_size) {
    sum += static_cast<double>(count) * (1 - ChanceOfNone(all, size, batch));
  }
  return sum;
}

// Returns the probability that two records of a perfect shuffle are of one class. Records without a class are equal.
double PerfectSameClassShare(const std::vector<uint64_t>& sizes, uint64_t all) {
  const uint64_t classed = std::accumulate(sizes.begin(), sizes.end(), uint64_t{0});
  const auto pairs = [](uint64_t n) { return n == 0 ? 0 : static_cast<double>(n) * static_cast<double>(n - 1); };
  double same_class = pairs(all - classed);
  for (const uint64_t size : sizes) same_class += pairs(size);
  return all < 2 ? 0 : same_class / pairs(all);
}

// Simulates a loader that fills a buffer from the data in stored order, and draws from it.
double BufferPerBatch(const ClassNumbers& numbers, uint64_t key, uint64_t batch, uint64_t limit) {
  ClassCounter counter(numbers, batch);
  std::vector<uint64_t> buffer;
  uint64_t next = 0;
  for (uint64_t taken = 0; taken < limit; ++taken) {
    while (buffer.size() < MixQuality::kBufferRecords && next < numbers.of.size()) buffer.push_back(next++);
    const uint64_t drawn = Below(SampleKey(key, taken), buffer.size());
    counter.Take(std::exchange(buffer[drawn], buffer.back()));
    buffer.pop_back();
  }
  return counter.PerBatch();
}

}  // namespace

Result<MixQuality> MeasureMix(const SamplingMethod& method, uint64_t seed, uint64_t epoch, const ClassNumbers& numbers,
                              uint64_t batch, uint64_t limit, const std::atomic<bool>* cancel) {
  constexpr uint64_t kAtOnce = 4096;
  const uint64_t all = numbers.of.size();
  const std::shared_ptr<const EpochOrder> order = OrderOf(method, all, seed, epoch);
  MixQuality quality;
  quality.positions = std::min(order->size(), limit);
  quality.batch = batch;
  ClassCounter counter(numbers, batch);
  RunCache cache(order->runs_in_flight());
  std::vector<uint64_t> indices;
  for (uint64_t first = 0; first < quality.positions; first += indices.size()) {
    if (cancel != nullptr && *cancel) return Interrupted();
    indices.resize(std::min(kAtOnce, quality.positions - first));
    order->Fill(first, 1, indices);
    for (const uint64_t index : indices) {
      counter.Take(index);
      cache.Read(order->RunOf(index));
    }
  }
  quality.reads = cache.reads();
  const std::vector<uint64_t> sizes = Sizes(numbers);
  quality.classes = sizes.size() - static_cast<uint64_t>(std::count(sizes.begin(), sizes.end(), uint64_t{0}));
  const double same_class = PerfectSameClassShare(sizes, all);
  quality.per_batch = counter.PerBatch();
  quality.per_batch_perfect = PerfectPerBatch(sizes, all, std::min(batch, quality.positions));
  quality.per_batch_buffer = BufferPerBatch(numbers, seed, batch, std::min(quality.positions, all));
  quality.neighbours =
      same_class < 1 && quality.positions > 1 ? (counter.SameClassShare() - same_class) / (1 - same_class) : 0;
  return quality;
}

}  // namespace ofindex
