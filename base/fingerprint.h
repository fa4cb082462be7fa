#pragma once

#include <cstdint>

#include "base/file.h"
#include "base/result.h"

namespace ofindex {

/// Hash of the first `size` bytes of `file` that costs the same whatever their number: XXH3 of all of them up to
/// 64 KiB, else of the size, the first and last 16 KiB and eight pages of 4 KiB between, evenly spread.
///
/// It tells a copy from another file; it does not find a byte changed in a page that it does not read: that is what
/// `ofindex verify` is for. Computed over the indexed size, it also recognises a file that has only grown.
///
/// Errors: kIo; kStale  the file has fewer than `size` bytes.
[[nodiscard]] Result<uint64_t> Fingerprint(const File& file, uint64_t size);

}  // namespace ofindex
