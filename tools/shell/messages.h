#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "index/build/builder.h"
#include "index/catalog/catalog.h"
#include "tools/shell/context.h"

namespace ofindex {

/// Prints an error to standard error: `ofindex: what`, and `hint: the command that mends it`.
void PrintError(const Error& error, const Context& context);

/// Prints what else went wrong, each text as an error without a hint: the first ten, or all of them with -v, and how
/// many more there are.
void PrintMoreErrors(const std::vector<std::string>& texts, const Context& context);

/// Prints one line to standard error, unless the user wants quiet.
void PrintNote(const std::string& text, const Context& context);

/// Notes of a list: the first ten, or all of them with -v, and how many more there are.
void PrintNotes(const std::vector<std::string>& texts, const Context& context);

/// Notes of what a build found and left out: files that are no shards, except those that could not be read, shards that
/// the others' names tell of, and shards of no bytes. `shown` gives the name to show for a path of the index.
[[nodiscard]] std::vector<std::string> NotesOf(const BuildReport& report,
                                               const std::function<std::string(const std::string&)>& shown);

/// "train/part-3: bytes [1234, 1300) hold no record: torn_tail", and the like of a bad record.
[[nodiscard]] std::string Describe(const DamageRow& damage, const std::vector<ShardRow>& shards);
[[nodiscard]] std::string Describe(const BadRow& bad, const std::vector<ShardRow>& shards);

/// True if a stream of this number (1 or 2) is to be coloured.
[[nodiscard]] bool UseColor(int stream, const Context& context);

}  // namespace ofindex
