#pragma once

#include <vector>

#include "base/bytes.h"
#include "fuzz/input.h"
#include "mmap/sealed/sealed_format.h"

namespace ofindex {

/// Returns the bytes of a sealed file with these sections, and with correct checksums.
[[nodiscard]] std::vector<uint8_t> SealedBytes(const SealedKind& kind, const std::vector<ByteView>& sections,
                                               const IndexOrigin& origin = {});

/// Changes a sealed file as `input` says: a field of the header, under a correct checksum; a byte; or its end.
void PatchSealed(const SealedKind& kind, std::vector<uint8_t>& bytes, FuzzInput& input);

}  // namespace ofindex
