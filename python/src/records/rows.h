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

/// The records of a Python Dataset, numbered from 0: a view's records in ascending order, or records that were picked
/// by number, in any order and with repetitions. A value, cheap to copy. Immutable; may be read by any number of
/// threads.
class Rows {
 public:
  using Picks = std::vector<uint64_t>;

  Rows() = default;  ///< no rows
  explicit Rows(View view) : rows_(std::move(view)) {}
  explicit Rows(Picks ordinals) : rows_(std::make_shared<const Picks>(std::move(ordinals))) {}

  /// Returns the rows with these ordinals, as a view if they ascend.
  [[nodiscard]] static Rows Of(Picks ordinals);

  [[nodiscard]] uint64_t size() const;

  /// Returns the ordinal of row `i`, which must be less than size().
  [[nodiscard]] uint64_t At(uint64_t i) const;

  /// Replaces each i of `indices` by At(i).
  void Map(std::span<uint64_t> indices) const;

  /// Returns the rows start, start + step, ..., `count` of them, all of which must exist.
  [[nodiscard]] Rows Slice(uint64_t start, int64_t step, uint64_t count) const;

  /// Returns the rows `indices`, all of which must exist.
  [[nodiscard]] Rows Pick(Picks indices) const;

  /// Returns the rows whose ordinals are in `selected`.
  [[nodiscard]] Rows Where(const OrdinalSet& selected) const;

  /// Returns the same rows in ascending order, for TimesIn().
  [[nodiscard]] Rows Sorted() const;

  /// Returns how often each ordinal in [begin, end) occurs; an empty vector if none does. The rows must ascend.
  [[nodiscard]] std::vector<uint64_t> TimesIn(uint64_t begin, uint64_t end) const;

  /// Returns the rows as a view if they are one, otherwise null.
  [[nodiscard]] const View* view() const { return std::get_if<View>(&rows_); }

  /// Returns the same rows in ascending order. Errors: kUsage if a row occurs twice.
  [[nodiscard]] Result<View> Ascending() const;

  /// Returns true if they are records 0 to `records` - 1.
  [[nodiscard]] bool IsAll(uint64_t records) const;

  /// Returns a fingerprint, equal for the same rows in the same order.
  [[nodiscard]] std::string Fingerprint() const;

  /// Converts to bytes, and back. Errors: kIndex if `bytes` are not rows, or have ordinals beyond `records`.
  [[nodiscard]] std::vector<uint8_t> Serialize() const;
  [[nodiscard]] static Result<Rows> Parse(ByteView bytes, uint64_t records);

 private:
  std::variant<View, std::shared_ptr<const Picks>> rows_;
};

}  // namespace ofindex::python
