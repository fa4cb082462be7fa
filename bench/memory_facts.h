#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace ofindex {

// What the kernel says of this process's memory (proc(5)), in bytes. Errors: kIo.

/// The most that was ever resident. Of this program alone: getrusage would count what its parent had before exec.
[[nodiscard]] Result<uint64_t> PeakBytes();

/// Pages that nobody else has and that are not those of a file: what would be gained if this process ended.
[[nodiscard]] Result<uint64_t> PrivateBytes();

/// Proportional share (Pss) of the mapped pages of `file`: a page that n processes map counts 1/n in each.
[[nodiscard]] Result<uint64_t> ShareOfFile(const std::string& file);

}  // namespace ofindex
