#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/result.h"
#include "query/sampling/orders/class_weights.h"
#include "query/sampling/orders/interleave.h"
#include "query/sampling/orders/sample_key.h"

namespace ofindex {

/// The members of classes, and how often each class is drawn: shared by the BalancedDraws of all epochs. Takes 4 bytes
/// per member and 16 to 24 per class. Immutable; may be used by any number of threads.
class BalancedClasses {
 public:
  static constexpr uint64_t kMaxItems = ~uint32_t{0};
  static constexpr uint32_t kNone = ~uint32_t{0};  ///< the class of an item that is never drawn

  /// Receives the classes of the next items, starting with item 0.
  using Take = std::function<void(std::span<const uint32_t> classes)>;

  /// Passes the classes of all items to `take`, in any number of pieces; the same classes every time.
  using Deliver = std::function<Result<void>(const Take& take)>;

  /// Groups all items by class. `deliver` passes the class of each item, which is below `classes` or kNone; it is
  /// called twice. Class c is drawn in proportion to count(c)^(1 / `temperature`): 1 draws classes as often as they
  /// occur, infinity with equal probability.
  ///
  /// The algorithm for slots: with temperature 1, the counts divided by their greatest common divisor; with infinity, 1
  /// per class; otherwise SlotsInProportion of ClassWeights, with a cycle of 2^20 slots, or of 256 per class rounded up
  /// to a power of two if that is more.
  ///
  /// Errors: kUsage if `temperature` is less than 1 or not a number, or no item has a class; kLimit if there are more
  /// than kMaxItems; those of `deliver`.
  [[nodiscard]] static Result<std::shared_ptr<const BalancedClasses>> Make(uint32_t classes, double temperature,
                                                                           const Deliver& deliver);

  /// Member `k` of class `number`, in ascending order of items.
  [[nodiscard]] uint32_t member(uint32_t number, uint64_t k) const { return members_[begins_[number] + k]; }
  [[nodiscard]] uint64_t count(uint32_t number) const { return begins_[number + 1] - begins_[number]; }

  /// Maps draws to classes, under the key passed to it.
  [[nodiscard]] const Interleave& interleave() const { return interleave_; }

 private:
  BalancedClasses(std::vector<uint64_t> begins, std::vector<uint32_t> members, Interleave interleave)
      : begins_(std::move(begins)), members_(std::move(members)), interleave_(std::move(interleave)) {}

  std::vector<uint64_t> begins_;   // of each class in members_, and the end of the last
  std::vector<uint32_t> members_;  // by class, then ascending
  Interleave interleave_;
};

/// An endless sequence of draws, balanced over classes. It passes through each class repeatedly, in a new order for
/// each pass. Draw i is a function of key and i only. Immutable; may be used by any number of threads.
///
/// The algorithm: an Interleave under SampleKey(key, 0) gives class c and number n; the pass is n / count(c), and the
/// member is Permutation(count(c), SampleKey(SampleKey(SampleKey(key, 1), c), pass)).At(n mod count(c)).
class BalancedDraws {
 public:
  /// `key` is one of SampleUse::kDraws.
  BalancedDraws(std::shared_ptr<const BalancedClasses> classes, uint64_t key)
      : classes_(std::move(classes)), interleave_key_(SampleKey(key, 0)), member_key_(SampleKey(key, 1)) {}

  /// Returns the item of draw number `position`, below 2^63.
  [[nodiscard]] uint64_t At(uint64_t position) const { return ItemOf(ClassAt(position)); }

  /// Sets `out` to draws `first`, `first` + `step`, ...; `step` is at least 1. Faster than At() for a small step.
  void Fill(uint64_t first, uint64_t step, std::span<uint64_t> out) const;

  /// Returns the class of draw number `position`, and the number of earlier draws of that class.
  [[nodiscard]] Turn ClassAt(uint64_t position) const {
    return classes_->interleave().AtUnder(interleave_key_, position);
  }

 private:
  [[nodiscard]] uint64_t ItemOf(const Turn& turn) const;

  std::shared_ptr<const BalancedClasses> classes_;
  uint64_t interleave_key_;
  uint64_t member_key_;
};

}  // namespace ofindex
