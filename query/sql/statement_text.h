#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ofindex {

/// Where the first byte at or behind `from` stands in `sql` that is neither space, comment nor semicolon; the size of
/// `sql` if there is none.
[[nodiscard]] size_t SkipBlank(std::string_view sql, size_t from);

/// About how long `sql` is once each name of a common table expression is replaced by what it stands for, and each
/// asterisk by `star_bytes`. SQLite does that before anybody can stop it, so that thirty short lines, each of which
/// names the one before twice, take more memory than there is. Never too low; 2^64 - 1 for definitions in a circle.
[[nodiscard]] uint64_t ExpandedBytes(std::string_view sql, uint64_t star_bytes);

}  // namespace ofindex
