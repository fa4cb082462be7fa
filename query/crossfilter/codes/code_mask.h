#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "query/crossfilter/codes/bin_codes.h"
#include "query/crossfilter/codes/binning.h"
#include "query/filter/value_filter.h"

namespace ofindex {

/// A filter as the set of the codes that it accepts. Immutable.
class CodeMask {
 public:
  /// Returns the codes that `filter` accepts; nullopt if it accepts some values of a code and not others, so that codes
  /// do not decide it: a range that begins or ends inside of a bin, or a value that is not among the categories.
  [[nodiscard]] static std::optional<CodeMask> Of(const ValueFilter& filter, const Binning& binning);

  [[nodiscard]] bool accepts(BinCode code) const { return accepted_[code] != 0; }

  /// Sets the bit of each record whose code is accepted, and clears the others.
  void Match(std::span<const BinCode> codes, std::span<uint64_t> words) const;

 private:
  explicit CodeMask(const std::array<uint8_t, 256>& accepted);

  std::array<uint8_t, 256> accepted_;  // 0 or 1
  // If the accepted codes are consecutive, they are `first_` and the `span_` codes after it.
  bool consecutive_ = false;
  BinCode first_ = 0;
  BinCode span_ = 0;
};

}  // namespace ofindex
