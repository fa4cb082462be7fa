#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.h"

namespace ofindex {

/// What times and timestamps are counted in.
enum class TimeUnit { kSeconds, kMilliseconds, kMicroseconds, kNanoseconds };

/// "s", "ms", "us" or "ns".
[[nodiscard]] std::optional<TimeUnit> ParseTimeUnit(std::string_view text);

// Text as ISO 8601 has it, as whole numbers. Errors: kFeature  the text is none, there is no such day or hour, or the
// time is not whole in `unit`, or beyond 64 bits in it.

/// "2026-11-22" as days since 1970-01-01.
[[nodiscard]] Result<int64_t> ParseDate(std::string_view text);

/// "10:30", "10:30:05" or "10:30:05.25" as time since midnight.
[[nodiscard]] Result<int64_t> ParseTime(std::string_view text, TimeUnit unit);

/// A date and a time with T or a blank between, and Z or "+01:00" behind: without, the time is UTC's. As time since
/// 1970-01-01T00:00Z.
[[nodiscard]] Result<int64_t> ParseTimestamp(std::string_view text, TimeUnit unit);

}  // namespace ofindex
