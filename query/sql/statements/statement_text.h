#pragma once

#include <cstddef>
#include <string_view>

namespace ofindex {

[[nodiscard]] constexpr bool IsSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/// Returns the position in `sql` of the first byte at or after `from` that is not whitespace or comment; the size of
/// `sql` if there is none.
[[nodiscard]] size_t SkipSpace(std::string_view sql, size_t from);

/// Returns the position in `sql` of the first byte at or after `from` that is not whitespace, comment or semicolon; the
/// size of `sql` if there is none.
[[nodiscard]] size_t SkipBlank(std::string_view sql, size_t from);

/// Returns the part of `sql` after EXPLAIN or EXPLAIN QUERY PLAN at its beginning; all of `sql` if it has neither.
[[nodiscard]] std::string_view WithoutExplain(std::string_view sql);

/// Returns true if `sql` may aggregate rows: it has the name of an aggregate function, GROUP or DISTINCT, perhaps as
/// part of another word.
[[nodiscard]] bool MayAggregate(std::string_view sql);

}  // namespace ofindex
