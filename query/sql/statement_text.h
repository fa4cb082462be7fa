#pragma once

#include <cstddef>
#include <string_view>

namespace ofindex {

/// Returns the position in `sql` of the first byte at or after `from` that is not whitespace, comment or semicolon; the
/// size of `sql` if there is none.
[[nodiscard]] size_t SkipBlank(std::string_view sql, size_t from);

}  // namespace ofindex
