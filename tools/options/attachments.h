#pragma once

#include "query/columns/snapshot.h"
#include "tools/options/command_line.h"
#include "tools/shell/context.h"

namespace ofindex {

/// Adds the option --attach of every verb that reads columns of an index: files that `attach -o FILE` wrote.
inline void AddAttachments(Verb& verb, Context& context) {
  verb.AddOption("--attach", context.attachments, "FILE",
                 "Lay the attached columns of FILE over the index, besides those next to it");
}

/// Returns how a verb with that option opens its index.
[[nodiscard]] inline SnapshotOptions OpeningOptions(const Context& context) {
  return {.columns = {}, .attachments = context.attachments, .progress = &context.progress};
}

}  // namespace ofindex
