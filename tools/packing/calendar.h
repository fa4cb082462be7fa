#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"

namespace ofindex {

/// The unit in which times and timestamps are counted.
enum class TimeUnit { kSeconds, kMilliseconds, kMicroseconds, kNanoseconds };

// These parse ISO 8601 text into whole numbers. Errors: kFeature if the text is malformed, there is no such day or
// hour, the time is not whole in `unit`, or it does not fit 64 bits in `unit`.

/// Parses "2026-11-22" into days since 1970-01-01.
[[nodiscard]] Result<int64_t> ParseDate(std::string_view text);

/// Parses "10:30", "10:30:05" or "10:30:05.25" into time since midnight.
[[nodiscard]] Result<int64_t> ParseTime(std::string_view text, TimeUnit unit);

/// Parses a date and a time, separated by T or a blank and followed by Z or "+01:00", into time since
/// 1970-01-01T00:00Z. Without Z or an offset the time is in UTC.
[[nodiscard]] Result<int64_t> ParseTimestamp(std::string_view text, TimeUnit unit);

}  // namespace ofindex
