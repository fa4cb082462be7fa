#pragma once

#include <optional>
#include <string>

#include "base/bytes.h"
#include "base/result.h"
#include "proto/features.h"
#include "tools/shell/output.h"

namespace ofindex {

/// Prints a line for each feature of `record`, or for the one that is named: name, kind, number of values, and the
/// values as far as they fit a line.
[[nodiscard]] Result<void> PrintFeatures(const DecodedRecord& record, const std::optional<std::string>& only,
                                         Output& out);

/// Prints bytes as offset, hexadecimal and text, sixteen a line; of a long payload the first 4 KiB, and how many more.
[[nodiscard]] Result<void> PrintHexDump(ByteView bytes, Output& out);

}  // namespace ofindex
