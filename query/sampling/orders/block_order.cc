#include "query/sampling/orders/block_order.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "query/sampling/orders/sample_key.h"

namespace ofindex {
namespace {

// Lanes of fewer than two runs would not mix.
uint64_t LanesFor(uint64_t size, const BlockShape& shape) {
  uint64_t lanes = shape.lanes;
  while (lanes > 1 && size / shape.run < 2 * lanes) lanes /= 2;
  return lanes;
}

// The uses of key numbers; numbers of lanes and windows come after these.
enum KeyPart : uint64_t { kRunsPart, kLongerPart, kOthersPart, kShortsPart, kWindowsPart };

}  // namespace

BlockOrder::BlockOrder(uint64_t size, const BlockShape& shape, uint64_t key)
    : size_(size),
      run_(shape.run),
      lanes_(LanesFor(size, shape)),
      window_(shape.window),
      key_(key),
      runs_(size / lanes_ / run_),
      windows_(std::max<uint64_t>((runs_ + window_ - 1) / window_, 1)),
      short_(size / lanes_ - runs_ * run_),
      longer_(size % lanes_),
      tail_(lanes_ * runs_ * run_),
      order_of_runs_(lanes_ * runs_, SampleKey(key, kRunsPart)),
      longer_shorts_(longer_, SampleKey(key, kLongerPart)),
      other_shorts_(lanes_ - longer_, SampleKey(key, kOthersPart)) {}

// Short runs lie at the end of the data, first those with one record more.
uint64_t BlockOrder::ShortBegin(uint64_t lane) const {
  if (lane < longer_) return tail_ + longer_shorts_.At(lane) * (short_ + 1);
  return tail_ + longer_ * (short_ + 1) + other_shorts_.At(lane - longer_) * short_;
}

// Returns the lane of short run `number`, counted along the data.
uint64_t BlockOrder::LaneOfShort(uint64_t number) const {
  return number < longer_ ? longer_shorts_.PositionOf(number) : longer_ + other_shorts_.PositionOf(number - longer_);
}

// Returns the window of a lane that has the short run.
uint64_t BlockOrder::ShortWindow(uint64_t lane) const {
  return Below(SampleKey(SampleKey(key_, kShortsPart), lane), windows_);
}

// Returns the window that has record `index` of a lane.
uint64_t BlockOrder::WindowAt(uint64_t lane, uint64_t index) const {
  const uint64_t records = window_ * run_;
  const uint64_t with_short = ShortWindow(lane);
  if (index < with_short * records) return index / records;
  const uint64_t behind = std::min((with_short + 1) * window_, runs_) * run_ + ShortOf(lane);
  return index < behind ? with_short : (index - ShortOf(lane)) / records;
}

BlockOrder::Window BlockOrder::WindowOf(uint64_t lane, uint64_t number) const {
  const uint64_t with_short = ShortWindow(lane);
  const uint64_t full = (std::min((number + 1) * window_, runs_) - number * window_) * run_;
  const uint64_t key = SampleKey(SampleKey(key_, kWindowsPart + lane), number);
  return {.lane = lane,
          .number = number,
          .begin = number * window_ * run_ + (number > with_short ? ShortOf(lane) : 0),
          .full = full,
          .order = Permutation(full + (number == with_short ? ShortOf(lane) : 0), key)};
}

uint64_t BlockOrder::ElementAt(const Window& window, uint64_t index) const {
  const uint64_t x = window.order.At(index - window.begin);
  if (x >= window.full) return ShortBegin(window.lane) + (x - window.full);
  const uint64_t run = window.lane * runs_ + window.number * window_ + x / run_;
  return order_of_runs_.At(run) * run_ + x % run_;
}

// Positions that differ by a multiple of the lanes are in one lane, and follow each other through its windows.
void BlockOrder::Fill(uint64_t first, uint64_t step, std::span<uint64_t> out) const {
  const uint64_t period = lanes_ / std::gcd(step, lanes_);
  for (uint64_t j0 = 0; j0 < std::min<uint64_t>(period, out.size()); ++j0) {
    const uint64_t lane = (first + j0 * step) % lanes_;
    std::optional<Window> window;
    for (uint64_t j = j0; j < out.size(); j += period) {
      const uint64_t index = (first + j * step) / lanes_;
      if (!window || index >= window->begin + window->order.size()) window = WindowOf(lane, WindowAt(lane, index));
      out[j] = ElementAt(*window, index);
    }
  }
}

uint64_t BlockOrder::PositionOf(uint64_t element) const {
  uint64_t lane = 0;
  uint64_t number = 0;
  uint64_t x = 0;
  if (element < tail_) {
    const uint64_t run = order_of_runs_.PositionOf(element / run_);
    lane = run / runs_;
    number = run % runs_ / window_;
    x = (run % runs_ - number * window_) * run_ + element % run_;
  } else {
    lane = LaneOfShort(RunOf(element) - lanes_ * runs_);
    number = ShortWindow(lane);
  }
  const Window window = WindowOf(lane, number);
  if (element >= tail_) x = window.full + (element - ShortBegin(lane));
  return (window.begin + window.order.PositionOf(x)) * lanes_ + lane;
}

uint64_t BlockOrder::RunOf(uint64_t element) const {
  if (element < tail_) return element / run_;
  const uint64_t behind = element - tail_;
  const uint64_t longer = longer_ * (short_ + 1);
  const uint64_t number = behind < longer ? behind / (short_ + 1) : longer_ + (behind - longer) / short_;
  return lanes_ * runs_ + number;
}

}  // namespace ofindex
