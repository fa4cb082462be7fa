#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <vector>

namespace ofindex::python {

/// The rows that `numbers`, a sequence or an array of integers, name among `size` rows: negative ones count from the
/// end. Raises IndexError for one that is not there, and TypeError for what are no integers.
[[nodiscard]] std::vector<uint64_t> IndicesOf(nanobind::handle numbers, uint64_t size);

/// The row that one number names, and the same for any object. Raise as IndicesOf.
[[nodiscard]] uint64_t IndexOf(int64_t number, uint64_t size);
[[nodiscard]] uint64_t IndexOf(nanobind::handle number, uint64_t size);

}  // namespace ofindex::python
