#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace ofindex {

/// Returns 256 random bits of the system as hexadecimal: a secret that nobody can guess. Errors: kIo.
[[nodiscard]] Result<std::string> NewToken();

/// Returns true if the two are equal. Takes the same time wherever they differ, so that nobody can find a token byte by
/// byte. The length of a token is no secret.
[[nodiscard]] bool IsSameToken(std::string_view given, std::string_view token);

}  // namespace ofindex
