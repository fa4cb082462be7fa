#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/result.h"

namespace ofindex {

/// Builds the index of `folder`, replacing any existing one, as the command does with `--columns`. Returns the number
/// of records.
[[nodiscard]] Result<uint64_t> Rebuild(const std::string& folder, const std::string& columns = "none");

/// Runs a task in this process, which was started for it, and prints numbers, one per line:
///
///   get INDEX ORDINAL         nanoseconds to open INDEX and read the record
///   share INDEX               finds records all over the index and prints the bytes of private memory that this took;
///                             when woken, prints this process's share of the map's pages, in bytes; ends when
///                             woken again
///
/// Returns the exit code.
[[nodiscard]] int RunChildTask(std::span<char*> words);

}  // namespace ofindex
