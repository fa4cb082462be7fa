#pragma once

#include <vector>

#include "base/bytes.h"
#include "mmap/sealed/sealed_format.h"

namespace ofindex {

/// Returns the bytes of a sealed file with these sections, and with correct checksums.
[[nodiscard]] std::vector<uint8_t> SealedBytes(const SealedKind& kind, const std::vector<ByteView>& sections);

}  // namespace ofindex
