#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "index/chunks/sections/chunk_io.h"

namespace ofindex {

/// Appends a stream of floats or doubles. Keeps bit patterns: signs of zero and NaN payloads.
void WriteFloats(std::span<const float> values, ChunkWriter& out);
void WriteDoubles(std::span<const double> values, ChunkWriter& out);

/// Reads a stream of `count` floats or doubles. Errors: kIndex.
[[nodiscard]] Result<std::vector<float>> ReadFloats(ChunkReader& in, uint64_t count);
[[nodiscard]] Result<std::vector<double>> ReadDoubles(ChunkReader& in, uint64_t count);

}  // namespace ofindex
