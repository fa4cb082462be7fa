#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace ofindex {

// Facts from the kernel about this process's memory (proc(5)), in bytes. Errors: kIo.

/// Returns the private pages that do not belong to a file: what would be freed if this process ended.
[[nodiscard]] Result<uint64_t> PrivateBytes();

/// Returns the most memory that this process has had, pages of files included (VmHWM).
[[nodiscard]] Result<uint64_t> PeakBytes();

/// Returns the proportional share (Pss) of the mapped pages of `file`: a page mapped by n processes counts 1/n in each.
[[nodiscard]] Result<uint64_t> ShareOfFile(const std::string& file);

}  // namespace ofindex
