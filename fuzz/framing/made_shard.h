#pragma once

#include <string>

#include "base/record.h"
#include "fuzz/input.h"

namespace ofindex {

/// Returns a shard that `input` describes piece by piece: sound records, records with a wrong checksum, headers without
/// their record, zeros, any bytes. Mutations alone would hardly ever meet a checksum.
[[nodiscard]] std::string MadeShard(Framing framing, FuzzInput& input);

/// Takes the choice between a made shard and the bytes as they are, and returns either.
[[nodiscard]] std::string AnyShard(Framing framing, FuzzInput& input);

}  // namespace ofindex
