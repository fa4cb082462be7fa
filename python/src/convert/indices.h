#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <vector>

namespace ofindex::python {

/// Returns the rows that `numbers`, a sequence or an array of integers, select among `size` rows; negative ones count
/// from the end. Raises IndexError for a row that does not exist, and TypeError for values that are not integers.
[[nodiscard]] std::vector<uint64_t> IndicesOf(nanobind::handle numbers, uint64_t size);

/// Return the row that one number selects. Raise the same exceptions as IndicesOf.
[[nodiscard]] uint64_t IndexOf(int64_t number, uint64_t size);
[[nodiscard]] uint64_t IndexOf(nanobind::handle number, uint64_t size);

}  // namespace ofindex::python
