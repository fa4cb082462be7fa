#pragma once

#include <cstddef>
#include <vector>

namespace ofindex {

/// Returns the edges of bins that hold all numbers from `min` to `max`, both finite: multiples of 1, 2 or 5 times a
/// power of ten, so that people can read them. About `limit` bins at most, and at least one; the last edge is greater
/// than `max` unless no double is. If all numbers are `whole`, so are the edges.
[[nodiscard]] std::vector<double> NiceEdges(double min, double max, size_t limit, bool whole);

}  // namespace ofindex
