#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/bytes.h"
#include "base/result.h"
#include "proto/features.h"
#include "tools/http/exchange.h"

namespace ofindex {

inline constexpr uint32_t kMaxServedNumbers = uint32_t{4} << 20;

/// Returns 304 if the client already has the value with ETag `tag`; nullopt otherwise.
[[nodiscard]] std::optional<Response> UnchangedAnswer(const Request& request, const std::string& tag);

/// Returns the answer that is `value`: its media type is that of its first bytes, and never one that may hold programs.
/// `tag` identifies the value for caches.
[[nodiscard]] Response ValueAnswer(ByteView value, const std::string& tag);

/// Returns numbers as a little-endian array: floats as float32, all others as float64; the first kMaxServedNumbers.
/// Errors: kFeature if they are not numbers.
[[nodiscard]] Result<Response> NumbersAnswer(const DecodedRecord& record, FeatureValue value, const std::string& tag);

}  // namespace ofindex
