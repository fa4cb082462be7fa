#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/result.h"

namespace ofindex {

/// Builds the index of `folder`, in place of any that is there, as the command would. Returns the number of records.
[[nodiscard]] Result<uint64_t> BuildAnew(const std::string& folder);

/// Runs a task in this process, which was started for it, and prints numbers, one a line:
///
///   build FOLDER          the most memory, in bytes, that building the index of FOLDER took
///   get INDEX ORDINAL     nanoseconds from knowing the name of the index to having the record
///   share INDEX           once it has read places all over the index: bytes of private memory that this took; then,
///   when
///                         woken, this process's share of the map's pages, in bytes; ends when woken again
///
/// Returns the exit code.
[[nodiscard]] int RunChildTask(std::span<char*> words);

}  // namespace ofindex
