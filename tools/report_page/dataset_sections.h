#pragma once

#include <string>
#include <vector>

#include "tools/report_page/html.h"
#include "tools/report_page/page_facts.h"

namespace ofindex {

// The sections of a page that are about the dataset as a whole. Each shows a bounded part of long lists, and says how
// many entries it leaves out.

/// Writes the title, the totals, what is wrong with the dataset, and the contents.
void WriteHeader(const PageFacts& facts, const std::string& title, Html& html);

/// Writes the features: kinds, counts, in how many records they are absent.
void WriteSchema(const PageFacts& facts, Html& html);

/// Writes the shards and what is wrong with them, as the index and a look at their files tell.
void WriteShards(const PageFacts& facts, Html& html);

/// Writes the groups of records with equal payloads, or how to find them.
void WriteEqualRecords(const PageFacts& facts, Html& html);

/// Writes commands, and what each of them does.
struct ShownCommand {
  std::string command;
  std::string effect;
};
void WriteCommands(const std::vector<ShownCommand>& commands, Html& html);

}  // namespace ofindex
