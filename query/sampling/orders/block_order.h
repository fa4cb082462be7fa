#pragma once

#include <cstdint>
#include <span>

#include "query/sampling/orders/permutation.h"

namespace ofindex {

/// The shape of a block shuffle: neighbours are read in runs, so that a disk reads more than one record at a time.
struct BlockShape {
  uint64_t run = 1;     ///< neighbours in a run, which are read together
  uint64_t lanes = 64;  ///< parallel streams of an epoch; fewer if there are not two runs for each
  uint64_t window = 8;  ///< runs of a lane that are shuffled together

  friend bool operator==(const BlockShape&, const BlockShape&) = default;
};

/// Maximum number of lanes in an epoch.
inline constexpr uint64_t kMaxLanes = uint64_t{1} << 20;

/// Maximum numbers of runs and of records in a window.
inline constexpr uint64_t kMaxWindow = uint64_t{1} << 20;
inline constexpr uint64_t kMaxWindowRecords = uint64_t{1} << 32;

/// A keyed bijection on [0, size) that keeps neighbours close in time: an epoch order for sequential reading, without
/// memory. Immutable; may be used by any number of threads.
///
/// The epoch consists of parallel lanes: position p belongs to lane p mod lanes. Each lane owns whole runs, with as
/// many records as it has positions; so if the number of readers (ranks times workers) divides the number of lanes,
/// each reader has its own runs. Runs are assigned to lanes in random order, and within a lane the records of `window`
/// runs are shuffled together. Each lane has one shorter run for the remaining records; these lie at the end of the
/// data, and each is read at a random time.
class BlockOrder {
 public:
  /// `size` is at most kMaxSampled; run, lanes and window are at least 1; lanes at most kMaxLanes, and a window at
  /// most kMaxWindow runs and kMaxWindowRecords.
  BlockOrder(uint64_t size, const BlockShape& shape, uint64_t key);

  [[nodiscard]] uint64_t size() const { return size_; }

  /// The actual number of lanes: the requested number, halved until each lane has two runs.
  [[nodiscard]] uint64_t lanes() const { return lanes_; }

  /// Sets `out` to the elements at positions `first`, `first` + `step`, ..., all less than size().
  void Fill(uint64_t first, uint64_t step, std::span<uint64_t> out) const;

  /// Returns the position of `element`. O(1).
  [[nodiscard]] uint64_t PositionOf(uint64_t element) const;

  /// Returns the run of `element`, counted along the data.
  [[nodiscard]] uint64_t RunOf(uint64_t element) const;

 private:
  // Records of one lane that are shuffled together: [begin, begin + order.size()) of the lane.
  struct Window {
    uint64_t lane;
    uint64_t number;
    uint64_t begin;
    uint64_t full;  // records in whole runs; the others belong to the short run
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
  uint64_t runs_;     // whole runs per lane
  uint64_t windows_;  // per lane
  uint64_t short_;    // records of a lane's short run
  uint64_t longer_;   // lanes whose short run has one record more: the first ones
  uint64_t tail_;     // start of the short runs
  Permutation order_of_runs_;
  Permutation longer_shorts_;
  Permutation other_shorts_;
};

}  // namespace ofindex
