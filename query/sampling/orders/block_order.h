#pragma once

#include <cstdint>
#include <span>

#include "query/sampling/orders/permutation.h"

namespace ofindex {

/// How far an order mixes: neighbours are read in runs, so that a disk reads more than a record at a time.
struct BlockShape {
  uint64_t run = 1;     ///< neighbours in a run: what is read in one go
  uint64_t lanes = 64;  ///< of which an epoch consists; fewer where there are not two runs for each
  uint64_t window = 8;  ///< runs of a lane that are shuffled together

  friend bool operator==(const BlockShape&, const BlockShape&) = default;
};

/// Most lanes of an epoch.
inline constexpr uint64_t kMostLanes = uint64_t{1} << 20;

/// Most runs that a window may have, and most records.
inline constexpr uint64_t kMostWindow = uint64_t{1} << 20;
inline constexpr uint64_t kMostWindowRecords = uint64_t{1} << 32;

/// A keyed bijection on [0, size) that keeps neighbours near each other in time: the order of an epoch that wants to
/// read sequentially, without memory. Immutable; may be used by any number of threads.
///
/// The epoch is lanes side by side: position p belongs to lane p mod lanes. Each lane owns whole runs, as many records
/// as it has positions; so ranks and workers whose number divides that of the lanes read runs of their own and no
/// other's. The runs are dealt to the lanes in random order, and inside a lane the records of `window` runs are
/// shuffled. Each lane has one run that is shorter than the others, which takes up what is left; those lie at the end
/// of the data, and each is read at a random time.
class BlockOrder {
 public:
  /// `size` is at most kMostSampled; run, lanes and window are at least 1; lanes at most kMostLanes, and a window at
  /// most kMostWindow runs and kMostWindowRecords.
  BlockOrder(uint64_t size, const BlockShape& shape, uint64_t key);

  [[nodiscard]] uint64_t size() const { return size_; }

  /// The lanes that there are: those asked for, or half of them, or half of that, until each has two runs.
  [[nodiscard]] uint64_t lanes() const { return lanes_; }

  /// The elements at positions `first`, `first` + `step`, ..., all less than size().
  void Fill(uint64_t first, uint64_t step, std::span<uint64_t> out) const;

  /// The position of `element`. O(1).
  [[nodiscard]] uint64_t PositionOf(uint64_t element) const;

  /// The run of `element`, counted along the data.
  [[nodiscard]] uint64_t RunOf(uint64_t element) const;

 private:
  // Records of one lane that are shuffled together: [begin, begin + order.size()) of the lane.
  struct Window {
    uint64_t lane;
    uint64_t number;
    uint64_t begin;
    uint64_t full;  // records in whole runs; the others are those of the short run
    Permutation order;
  };

  [[nodiscard]] uint64_t ShortOf(uint64_t lane) const { return short_ + (lane < longer_ ? 1 : 0); }
  [[nodiscard]] uint64_t ShortBegin(uint64_t lane) const;
  [[nodiscard]] uint64_t LaneOfShort(uint64_t number) const;
  [[nodiscard]] uint64_t ShortWindow(uint64_t lane) const;
  [[nodiscard]] uint64_t WindowAt(uint64_t lane, uint64_t index) const;
  [[nodiscard]] Window WindowOf(uint64_t lane, uint64_t number) const;
  [[nodiscard]] uint64_t ElementAt(const Window& window, uint64_t index) const;

  uint64_t size_;
  uint64_t run_;
  uint64_t lanes_;
  uint64_t window_;   // runs
  uint64_t key_;      // of windows
  uint64_t runs_;     // whole ones of each lane
  uint64_t windows_;  // of each lane
  uint64_t short_;    // records of a lane's short run
  uint64_t longer_;   // lanes with one record more than that: the first ones
  uint64_t tail_;     // where the short runs begin
  Permutation order_of_runs_;
  Permutation longer_shorts_;
  Permutation other_shorts_;
};

}  // namespace ofindex
