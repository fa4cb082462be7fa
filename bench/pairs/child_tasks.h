#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace ofindex {

/// Builds the index of `folder`, replacing any existing one, as the command does with `--columns`. Returns the number
/// of records.
[[nodiscard]] Result<uint64_t> Rebuild(const std::string& folder, const std::string& columns = "none");

/// Builds part `part` of `of` of the same index, at `index`. Returns the number of records in it.
[[nodiscard]] Result<uint64_t> BuildPart(const std::string& folder, const std::string& columns, uint32_t part,
                                         uint32_t of, const std::string& index);

/// Merges parts or indexes into the index at `index`, replacing any existing one. Returns the number of records.
[[nodiscard]] Result<uint64_t> MergeInto(const std::vector<std::string>& inputs, const std::string& index);

/// Updates the index at `index`, with more `data`. Returns the number of records.
[[nodiscard]] Result<uint64_t> Update(const std::string& index, const std::vector<std::string>& data);

/// Runs a task in this process, which was started for it, and prints numbers, one per line:
///
///   get INDEX ORDINAL         nanoseconds to open INDEX and read the record
///   share INDEX               finds records all over the index and prints the bytes of private memory that this took;
///                             when woken, prints this process's share of the map's pages, in bytes; ends when
///                             woken again
///   merge INDEX INPUT...      nanoseconds to merge the inputs into INDEX, and the peak memory of the process, in bytes
///
/// Returns the exit code.
[[nodiscard]] int RunChildTask(std::span<char*> words);

}  // namespace ofindex
