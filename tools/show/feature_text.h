#pragma once

#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "proto/features.h"
#include "tools/shell/output.h"

namespace ofindex {

/// Prints a line for each feature of `record`, or for those in `only` if it is not empty: name, kind, number of values,
/// as many values as fit the line, and how many are left out.
[[nodiscard]] Result<void> PrintFeatures(const DecodedRecord& record, const std::vector<std::string>& only,
                                         Output& out);

/// Prints bytes as offset, hexadecimal and text, sixteen per line. A long payload is cut to its first 4 KiB, and the
/// number of the remaining bytes is printed.
[[nodiscard]] Result<void> PrintHexDump(ByteView bytes, Output& out);

}  // namespace ofindex
