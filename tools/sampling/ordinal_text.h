#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "query/sampling/sampler.h"
#include "tools/shell/context.h"
#include "tools/shell/output.h"

namespace ofindex {

/// Prints the next ordinals of `sampler`, at most `most`: one per line, or as --json and --jsonl specify. Writes them
/// as they are drawn, since there may be a hundred million. Errors: kInterrupted, kIo.
[[nodiscard]] Result<void> PrintOrdinals(Sampler& sampler, uint64_t most, const Context& context, Output& out);

/// Appends the digits of `ordinal` to `text`.
void AppendOrdinal(uint64_t ordinal, std::string& text);

}  // namespace ofindex
