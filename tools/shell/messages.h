#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "index/build/builder.h"
#include "index/catalog/catalog.h"
#include "tools/shell/context.h"

namespace ofindex {

/// Prints an error to standard error: `ofindex: what`, and `hint: the command that fixes it`.
void PrintError(const Error& error, const Context& context);

/// Prints further errors without hints: the first ten, or all of them with -v, and the number of the rest.
void PrintMoreErrors(const std::vector<std::string>& texts, const Context& context);

/// Prints one line to standard error, unless -q was given.
void PrintNote(const std::string& text, const Context& context);

/// Prints notes: the first ten, or all of them with -v, and the number of the rest.
void PrintNotes(const std::vector<std::string>& texts, const Context& context);

/// Returns notes on `skipped` files, except unreadable ones, and on shards that are `missing` from a numbered set.
/// `shown` returns the name to print for a path of the index.
[[nodiscard]] std::vector<std::string> NotesOnFiles(
    const std::vector<SkippedFile>& skipped, const std::vector<std::string>& missing,
    const std::function<std::string(const std::string&)>& shown = [](const std::string& path) { return path; });

/// Returns notes on what a build left out or found empty: files that are not shards (except unreadable ones), shards
/// that are missing from a numbered set, and empty shards. `shown` returns the name to print for a path of the index.
[[nodiscard]] std::vector<std::string> NotesOf(const BuildReport& report,
                                               const std::function<std::string(const std::string&)>& shown);

/// Describes damage as "train/part-3: bytes [1234, 1300) hold no record: torn_tail", and bad records likewise.
[[nodiscard]] std::string Describe(const DamageRow& damage, const std::vector<ShardRow>& shards);
[[nodiscard]] std::string Describe(const BadRow& bad, const std::vector<ShardRow>& shards);

/// Returns true if stream number `stream` (1 or 2) is to be coloured.
[[nodiscard]] bool UseColor(int stream, const Context& context);

}  // namespace ofindex
