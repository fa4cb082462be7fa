#pragma once

#include <string>

#include "base/result.h"

namespace ofindex {

/// A key and a value as people write them: NAME=VALUE.
struct KeyText {
  std::string name;   ///< of the feature
  std::string value;  ///< bytes, or the digits of an integer
};

/// Parses NAME=VALUE. The first '=' ends the name, unless it is written "\=". Errors: kUsage if there is none.
[[nodiscard]] Result<KeyText> ParseKeyText(const std::string& text);

/// Returns the integer that `text` is: decimal digits, after a minus sign or not. Errors: kUsage, naming `feature`.
[[nodiscard]] Result<int64_t> ParseIntegerKey(const std::string& text, const std::string& feature);

}  // namespace ofindex
