#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"

namespace ofindex {

/// Half-open range of ordinals.
struct OrdinalRange {
  uint64_t begin = 0;
  uint64_t end = 0;

  friend bool operator==(const OrdinalRange&, const OrdinalRange&) = default;
};

/// Parses records as people write them, for a dataset of `size` records: "5", "-1" (from the end), "10:20", ":20",
/// "10:", "-10:". A single ordinal must be in the dataset; the ends of a range are clamped to it, like Python slices.
/// Errors: kUsage if `text` has another form; kOutOfRange.
[[nodiscard]] Result<OrdinalRange> ParseOrdinals(std::string_view text, uint64_t size);

}  // namespace ofindex
