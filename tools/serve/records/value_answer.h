#pragma once

#include <cstdint>
#include <string>

#include "base/bytes.h"
#include "base/result.h"
#include "proto/features.h"
#include "tools/http/exchange.h"

namespace ofindex {

inline constexpr uint32_t kMaxServedNumbers = uint32_t{4} << 20;

/// Returns the answer that is `value`: its media type is that of its first bytes, and a Range of it is sent if the
/// request has one. `tag` identifies the value for caches. Its type is never one that may hold programs.
[[nodiscard]] Response ValueAnswer(ByteView value, const std::string& tag, const Request& request);

/// Returns true if the client has the value that `tag` identifies.
[[nodiscard]] bool HasValue(const std::string& tag, const Request& request);

/// Returns the answer to such a client.
[[nodiscard]] Response UnchangedAnswer(const std::string& tag);

/// Returns numbers as a little-endian array: floats as float32, all others as float64; the first kMaxServedNumbers.
/// Errors: kFeature if they are not numbers.
[[nodiscard]] Result<Response> NumbersAnswer(const DecodedRecord& record, FeatureValue value, const std::string& tag);

}  // namespace ofindex
