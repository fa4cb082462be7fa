#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "query/sampling/sets/view.h"

namespace ofindex::python {

/// The records that a Dataset of Python has, numbered from 0: those of a view, ascending, or any that were picked by
/// number, in the order given and as often. A value, cheap to copy. Immutable; may be read by any number of threads.
class Rows {
 public:
  using Picks = std::vector<uint64_t>;

  Rows() = default;  ///< none
  explicit Rows(View view) : rows_(std::move(view)) {}
  explicit Rows(Picks ordinals) : rows_(std::make_shared<const Picks>(std::move(ordinals))) {}

  [[nodiscard]] uint64_t size() const;

  /// The ordinal of row `i`, which is less than size().
  [[nodiscard]] uint64_t At(uint64_t i) const;

  /// Puts At(i) in the place of each i of `indices`.
  void Map(std::span<uint64_t> indices) const;

  /// Rows start, start + step, ..., `count` of them, all of which exist.
  [[nodiscard]] Rows Slice(uint64_t start, int64_t step, uint64_t count) const;

  /// The rows `indices`, all of which exist.
  [[nodiscard]] Rows Pick(Picks indices) const;

  /// Those whose ordinals `selected` has.
  [[nodiscard]] Rows Where(const OrdinalSet& selected) const;

  /// The same rows, ascending, for TimesIn().
  [[nodiscard]] Rows Sorted() const;

  /// Returns how often each ordinal in [begin, end) is there; nothing if none is. The rows must ascend.
  [[nodiscard]] std::vector<uint64_t> TimesIn(uint64_t begin, uint64_t end) const;

  /// The rows as a view, if they are one.
  [[nodiscard]] const View* view() const { return std::get_if<View>(&rows_); }

  /// The same rows in ascending order. Errors: kUsage  one is there twice.
  [[nodiscard]] Result<View> Ascending() const;

  /// True if they are records 0 to `records` - 1.
  [[nodiscard]] bool IsAll(uint64_t records) const;

  /// The same for the same rows in the same order.
  [[nodiscard]] std::string Fingerprint() const;

  /// As bytes, and back. Errors: kIndex  `bytes` are no rows, or of more than `records` records.
  [[nodiscard]] std::vector<uint8_t> Serialize() const;
  [[nodiscard]] static Result<Rows> Parse(ByteView bytes, uint64_t records);

 private:
  std::variant<View, std::shared_ptr<const Picks>> rows_;
};

}  // namespace ofindex::python
