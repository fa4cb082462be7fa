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
///   build FOLDER [COLUMNS]    peak memory, in bytes, of building the index of FOLDER
///   get INDEX ORDINAL         nanoseconds from knowing the name of the index to having the record
///   share INDEX               after reading places all over the index: the bytes of private memory that this took;
///                             then, when woken, this process's share of the map's pages, in bytes; ends when
///                             woken again
///   examples                  no number but the folder of the records for the other tasks, created if needed
///   where INDEX EXPR          see AskWhere in bench/column_tasks.h
///   where-anew INDEX EXPR
///   groups INDEX BY COLUMN    see AskGroups
///
/// Returns the exit code.
[[nodiscard]] int RunChildTask(std::span<char*> words);

}  // namespace ofindex
