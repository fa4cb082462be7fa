#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ofindex {

/// Returns the position in `sql` of the first byte at or after `from` that is not whitespace, comment or semicolon; the
/// size of `sql` if there is none.
[[nodiscard]] size_t SkipBlank(std::string_view sql, size_t from);

/// Returns the approximate size of `sql` after CTE expansion, with each asterisk counted as `star_bytes`; never too
/// low, and 2^64 - 1 for circular definitions. SQLite expands before it can be interrupted: thirty short lines, each of
/// which names the previous one twice, take more memory than there is.
[[nodiscard]] uint64_t ExpandedBytes(std::string_view sql, uint64_t star_bytes);

}  // namespace ofindex
